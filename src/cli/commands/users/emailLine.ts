import type { ResultOf } from '../../client/nodeClient.js'

type Email = ResultOf<'users.show'>['user']['emails'][number]

/** Display texts for the origin of an address. */
const METHODS: Readonly<Record<string, string>> = {
  'email-link': 'verified by mail',
  'email-code': 'verified by mail',
  operator: 'verified by the operator',
  registration: 'from registration',
  legacy: 'not verified',
}

/** Formats an e-mail address of an account: `ana@example.org, primary, verified by mail`. */
export function emailLine({ value, primary, status, verificationMethod }: Email): string {
  const how = status === 'pending' ? 'not verified yet' : (METHODS[verificationMethod ?? ''] ?? 'verified')
  return [value, ...(primary ? ['primary'] : []), how].join(', ')
}
