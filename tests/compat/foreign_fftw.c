/* A library with FFTW's names whose plans are not FFTW's, as of vendors. */
struct foreign_plan {
  int number;
};
void fftw_execute(const struct foreign_plan* plan) { (void)plan; }
double fftw_cost(const struct foreign_plan* plan) {
  (void)plan;
  return 0;
}
