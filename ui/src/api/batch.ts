// Widgets of a page ask for what they show one by one and in the same moment: what asks for objects by key is
// gathered for a moment and asked for at once.

// enough for all widgets of a page that refresh on one beat
const GATHER_MS = 8;
const KEYS_MAX = 500;

interface Waiting<V> {
  readonly done: (value: V | undefined) => void;
  readonly fail: (error: unknown) => void;
}

export class Batcher<V> {
  private waiting = new Map<string, Waiting<V>[]>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly load: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>;

  private readonly max: number;

  /** `load` answers what is there of the keys, `max` at a time. */
  constructor(
    load: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
    max: number = KEYS_MAX,
  ) {
    this.load = load;
    this.max = max;
  }

  /** Undefined where there is no such object. */
  get(key: string): Promise<V | undefined> {
    return new Promise((done, fail) => {
      const same = this.waiting.get(key);
      if (same === undefined) this.waiting.set(key, [{ done, fail }]);
      else same.push({ done, fail });
      this.timer ??= setTimeout(() => this.flush(), GATHER_MS);
    });
  }

  /** Those that are there, in the order of the keys. */
  async all(keys: readonly string[]): Promise<readonly V[]> {
    const found = await Promise.all(keys.map((key) => this.get(key)));
    return found.filter((it) => it !== undefined);
  }

  private flush(): void {
    const gathered = [...this.waiting];
    this.waiting = new Map();
    this.timer = undefined;
    for (let at = 0; at < gathered.length; at += this.max) {
      void this.ask(gathered.slice(at, at + this.max));
    }
  }

  private async ask(part: readonly (readonly [string, readonly Waiting<V>[]])[]): Promise<void> {
    try {
      const found = await this.load(part.map(([key]) => key));
      for (const [key, all] of part) for (const it of all) it.done(found.get(key));
    } catch (error) {
      for (const [, all] of part) for (const it of all) it.fail(error);
    }
  }
}
