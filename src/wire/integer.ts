/** A whole number. JSON has numbers alone; the description of the API says which of them are whole. */
export type Integer = number;
