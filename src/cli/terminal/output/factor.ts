/** Returns a second-factor method as shown in lists: `app`, `sms`, or a dash for none. */
export function factorWord(method: unknown): string {
  if (method === 'totp') return 'app'
  return typeof method === 'string' ? method : '—'
}
