/** The most rows of one statement: SQLite takes 32,766 variables. */
export const MAX_ROWS = 1_000;
