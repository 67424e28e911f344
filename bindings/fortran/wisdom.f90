! Wisdom: ways of plans that were measured once, as text. Rank 0 of a plan's communicator has them.
module shardfft_wisdom_module
  use shardfft_base
  implicit none
  private
  public :: shardfft_export_wisdom, shardfft_import_wisdom, shardfft_forget_wisdom, &
    shardfft_wisdom_file, shardfft_keep_wisdom

  include 'made/wisdom_c.inc'

contains

  include 'made/wisdom.inc'
end module shardfft_wisdom_module
