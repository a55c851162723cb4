/** Runs `act` at once, then at most once per `ms`; calls in between cause one more run. The second function stops it. */
export function throttle(ms: number, act: () => void): readonly [() => void, () => void] {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let again = false;
  const run = () => {
    if (timer !== undefined) {
      again = true;
      return;
    }
    act();
    timer = setTimeout(() => {
      timer = undefined;
      if (again) {
        again = false;
        run();
      }
    }, ms);
  };
  return [run, () => clearTimeout(timer)];
}
