/** What an operation asks for: nothing, a customer's key, a token or a session of the administration, or a session. */
export type Security = 'none' | 'api_key' | 'admin_token' | 'session';
