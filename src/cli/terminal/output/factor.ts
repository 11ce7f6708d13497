/** A method of the second factor, as lists show it: `app`, `sms`, or a dash for none. */
export function factorWord(method: unknown): string {
  if (method === 'totp') return 'app'
  return typeof method === 'string' ? method : '—'
}
