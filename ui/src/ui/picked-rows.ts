// Which rows of a list are picked. Picks stay when the list shows others, so numbers alone say nothing.

interface ShownRows<Row> {
  readonly count: number;
  /** undefined for rows that are not loaded */
  readonly getRow: (at: number) => Row | undefined;
  readonly rowKey: (row: Row) => string;
}

/** Whether each row of the list is picked. Rows that are not loaded count as picked if as many are. */
export function areAllPicked<Row>(picked: ReadonlySet<string>, rows: ShownRows<Row>): boolean {
  if (rows.count === 0 || picked.size < rows.count) return false;
  for (let at = 0; at < rows.count; at++) {
    const row = rows.getRow(at);
    if (row !== undefined && !picked.has(rows.rowKey(row))) return false;
  }
  return true;
}

/** The picks without the rows of the list; none where rows are not loaded, since their keys are not known. */
export function withoutShown<Row>(picked: ReadonlySet<string>, rows: ShownRows<Row>): Set<string> {
  const left = new Set(picked);
  for (let at = 0; at < rows.count; at++) {
    const row = rows.getRow(at);
    if (row === undefined) return new Set();
    left.delete(rows.rowKey(row));
  }
  return left;
}
