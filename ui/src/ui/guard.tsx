// Keeps an error of one part of a page in its place: the rest of the page stays and can be used.
//
// An error often comes with one value and goes with the next. Each part is therefore drawn again after a while by
// itself, for screens on a wall where nobody presses "Try again".

import { Component, type ReactNode } from "react";
import { BrokenState } from "./states";

export interface GuardProps {
  readonly children: ReactNode;
  /** what stands in the place of the part; without it a note with a button */
  readonly fallback?: ((error: unknown, again: () => void) => ReactNode) | undefined;
}

type GuardState =
  | { readonly state: "whole" }
  | { readonly state: "broken"; readonly error: unknown; readonly address: string };

/** The part is drawn again after so long: no value that breaks it comes more often than most items have one. */
export const AGAIN_MS = 60_000;

export class Guard extends Component<GuardProps, GuardState> {
  override state: GuardState = { state: "whole" };
  private timer: ReturnType<typeof setTimeout> | undefined;

  static getDerivedStateFromError(error: unknown): GuardState {
    return { state: "broken", error, address: window.location.href };
  }

  /** Another address shows another object: the error was the one's before. */
  static getDerivedStateFromProps(_: GuardProps, state: GuardState): GuardState | null {
    const isOther = state.state === "broken" && state.address !== window.location.href;
    return isOther ? { state: "whole" } : null;
  }

  override componentDidCatch(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.again, AGAIN_MS);
  }

  override componentWillUnmount(): void {
    clearTimeout(this.timer);
  }

  private readonly again = () => {
    clearTimeout(this.timer);
    this.setState({ state: "whole" });
  };

  override render(): ReactNode {
    const { children, fallback } = this.props;
    if (this.state.state === "whole") return children;
    const { error } = this.state;
    return fallback?.(error, this.again) ?? <BrokenState error={error} onRetry={this.again} />;
  }
}
