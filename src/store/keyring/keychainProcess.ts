/**
 * Program of the keychain process, as text, since a separate file would have to be built first. A call to a keychain
 * that waits to be unlocked cannot be cancelled, blocks a thread and keeps the process from exiting. So it runs in a
 * child process that can be killed, which also closes the keychain's window.
 */

/** Request, one line of JSON on stdin; no secret is in the arguments. */
export interface KeychainCall {
  act: 'read' | 'write' | 'remove'
  service: string
  name: string
  text?: string
}

/** Response, one line of JSON on stdout. `found` is null when there is no such entry. */
export type KeychainAnswer = { found: string | null } | { error: string }

/** Source for `node --eval`; its argument is the file of the package. */
export const keychainProcess = `'use strict'
const { Entry } = require(process.argv[1])
function done({ act, service, name, text }) {
  const entry = new Entry(service, name, { linux: { store: 'secret-service' } })
  if (act === 'read') return entry.getPassword()
  if (act === 'write') entry.setPassword(text)
  else entry.deletePassword()
  return null
}
let input = ''
process.stdin.setEncoding('utf8').on('data', (part) => (input += part)).on('end', () => {
  let answer
  try {
    answer = { found: done(JSON.parse(input)) }
  } catch (error) {
    answer = { error: String(error && error.message) }
  }
  process.stdout.write(JSON.stringify(answer))
})
`
