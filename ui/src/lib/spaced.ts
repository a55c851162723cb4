/** Acts at once, then at most once in `ms`; what comes in between is not lost. The second ends it. */
export function spaced(ms: number, act: () => void): readonly [() => void, () => void] {
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
