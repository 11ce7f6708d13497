import { textOf, type Record_ } from '../../client/answer.js'

/** How an address came to be, in words. */
const METHODS: Readonly<Record<string, string>> = {
  'email-link': 'verified by mail',
  'email-code': 'verified by mail',
  operator: 'verified by the operator',
  registration: 'from registration',
  legacy: 'not proved',
}

/** An e-mail address of an account as a line: `ana@example.org, primary, verified by mail`. */
export function emailLine(entry: Record_): string {
  const method = textOf(entry['verificationMethod'])
  const how = entry['status'] === 'pending' ? 'not verified yet' : (METHODS[method] ?? 'verified')
  return [textOf(entry['value']), ...(entry['primary'] === true ? ['primary'] : []), how].join(', ')
}
