! shardfft for Fortran: use this one. Distributed FFTs of arrays a(n1, n2, n3), whose first dimension is the fastest in
! memory; dimensions, indices and members count from 1, ranks and GPUs from 0, as MPI's and the GPU runtime's.
!
! Every procedure takes stat= and errmsg=, as allocate does: without stat an error ends the program, with a sentence
! about its cause. All created objects are ended by %free(), which is collective for plans and redistributions.
module shardfft
  use shardfft_base, only: shardfft_ok, shardfft_invalid_argument, shardfft_mismatch, shardfft_unsupported, &
    shardfft_out_of_memory, shardfft_mpi_failure, shardfft_backend_failure, shardfft_internal, shardfft_timed_out, &
    shardfft_corrupted, shardfft_c2c, shardfft_r2c, shardfft_c2r, shardfft_r2r, shardfft_single, shardfft_double, &
    shardfft_fft, shardfft_dct1, shardfft_dct2, shardfft_dct3, shardfft_dct4, shardfft_dst1, shardfft_dst2, &
    shardfft_dst3, shardfft_dst4, shardfft_nearest, shardfft_cic, shardfft_tsc, shardfft_periodic, shardfft_dirichlet, &
    shardfft_neumann, shardfft_open, shardfft_lower, shardfft_upper, shardfft_centres, shardfft_nodes, &
    shardfft_truncated, shardfft_hockney, shardfft_integrated, shardfft_spectral, shardfft_second_order, &
    shardfft_refuse, shardfft_remove, &
    shardfft_progression, shardfft_library_version, shardfft_status_word
  use shardfft_gpu_module
  use shardfft_halo_module
  use shardfft_layout_module
  use shardfft_operator_module
  use shardfft_options_module
  use shardfft_particles_module
  use shardfft_plan_module
  use shardfft_poisson_module
  use shardfft_redistribution_module
  use shardfft_side_module
  use shardfft_spectra_module
  use shardfft_wisdom_module
  implicit none
  public
end module shardfft
