! Spectra in shells of wavenumbers, moments, and derivatives of the spectra of vector fields, whose last index is that of
! the component along each dimension. Arrays are given by their addresses.
module shardfft_spectra_module
  use mpi_f08, only: MPI_Comm
  use shardfft_base
  use shardfft_arrays
  use shardfft_side_module
  implicit none
  private
  public :: shardfft_cross_shells, shardfft_energy_shells, shardfft_moments_of, shardfft_gradient_of, &
    shardfft_divergence_of, shardfft_curl_of, shardfft_projection_of

  interface shardfft_cross_shells
    procedure :: shardfft_cross_shells_old, shardfft_cross_shells_f08
  end interface shardfft_cross_shells
  interface shardfft_energy_shells
    procedure :: shardfft_energy_shells_old, shardfft_energy_shells_f08
  end interface shardfft_energy_shells
  interface shardfft_moments_of
    procedure :: shardfft_moments_of_old, shardfft_moments_of_f08
  end interface shardfft_moments_of

  include 'made/spectra_c.inc'

contains

  include 'made/spectra.inc'
end module shardfft_spectra_module
