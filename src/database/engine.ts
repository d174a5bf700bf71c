/** SQLite is the embedded default; PostgreSQL serves several gateways. */
export type Engine = 'sqlite' | 'postgres';
