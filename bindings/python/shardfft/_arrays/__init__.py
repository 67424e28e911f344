"""Operations on arrays that are cut over ranks, except transforms."""
