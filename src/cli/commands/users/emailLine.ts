import { textOf, type Record_ } from '../../client/answer.js'

/** Display texts for the origin of an address. */
const METHODS: Readonly<Record<string, string>> = {
  'email-link': 'verified by mail',
  'email-code': 'verified by mail',
  operator: 'verified by the operator',
  registration: 'from registration',
  legacy: 'not verified',
}

/** Formats an e-mail address of an account: `ana@example.org, primary, verified by mail`. */
export function emailLine(entry: Record_): string {
  const method = textOf(entry['verificationMethod'])
  const how = entry['status'] === 'pending' ? 'not verified yet' : (METHODS[method] ?? 'verified')
  return [textOf(entry['value']), ...(entry['primary'] === true ? ['primary'] : []), how].join(', ')
}
