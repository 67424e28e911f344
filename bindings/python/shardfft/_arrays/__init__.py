"""What can be done with arrays that are cut over ranks but transforms."""
