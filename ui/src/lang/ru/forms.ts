/** What whole numbers have in Russian: 1 узел, 2 узла, 5 узлов. */
export const FORMS = ["one", "few", "many"] as const;
