// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

/** Something to do once. */
export interface Task {
  /** Id. */
  readonly taskid: string;
  /** 6: execute now. */
  readonly type: string;
  /** What to execute. */
  readonly request: {
    /** Item or discovery rule. */
    readonly itemid: string;
  } | readonly [];
}

/** Parameters of `task.create`. */
export interface TaskCreate {
  /** 6: execute now. */
  readonly type: string | number;
  /** What to execute. */
  readonly request: {
    /** Item or discovery rule. */
    readonly itemid: string | number;
  };
}
