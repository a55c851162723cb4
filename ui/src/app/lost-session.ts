// A session that ended under an open page. Requests that were refused for it wait here, the page stays as it is with
// all that was typed, and `SessionDialog` asks for the password; then they are sent again.

type LostState = "none" | "asking" | "hidden";

export class LostSession {
  private state: LostState = "none";
  private settle: ((isBack: boolean) => void) | undefined;
  private waiting: Promise<boolean> | undefined;
  private isLeaving = false;
  private readonly listeners = new Set<() => void>();

  getState = (): LostState => this.state;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /**
   * True once the user is signed in again, false when one leaves instead: one dialog for all who wait. `isHidden`
   * covers the page, for a session that ended because the user was away.
   */
  ask(isHidden = false): Promise<boolean> {
    if (this.isLeaving) return Promise.resolve(false);
    this.waiting ??= new Promise((done) => {
      this.settle = done;
    });
    if (isHidden || this.state === "none") this.set(isHidden ? "hidden" : "asking");
    return this.waiting;
  }

  /** The user signs out: what is refused until the end of that needs no password. */
  leave(): void {
    this.isLeaving = true;
  }

  end(isBack: boolean): void {
    const { settle } = this;
    this.isLeaving = false;
    this.waiting = undefined;
    this.settle = undefined;
    this.set("none");
    settle?.(isBack);
  }

  private set(state: LostState): void {
    if (this.state === state) return;
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

export const lostSession = new LostSession();
