/**
 * The program of the process that talks to the keychain, as text: a program of its own file would need that file built
 * first. A call to a keychain that waits for somebody to unlock it cannot be taken back, holds a thread of the process,
 * and keeps the process from ending; so it is made in one that can be killed, with which the keychain's window closes.
 */

/** What it is to do, in one line of JSON on its stdin; no secret is in its arguments. */
export interface KeychainCall {
  act: 'read' | 'write' | 'remove'
  service: string
  name: string
  text?: string
}

/** What it says, in one line of JSON on its stdout. `found` is null when there is nothing under the name. */
export type KeychainAnswer = { found: string | null } | { error: string }

/** Run with `node --eval`; its argument is the file of the package. */
export const keychainProcess = `'use strict'
const { Entry } = require(process.argv[1])
function done({ act, service, name, text }) {
  const entry = new Entry(service, name, { linux: { store: 'secret-service' } })
  if (act === 'read') return entry.getPassword()
  if (act === 'write') entry.setPassword(text)
  else entry.deletePassword()
  return null
}
let asked = ''
process.stdin.setEncoding('utf8').on('data', (part) => (asked += part)).on('end', () => {
  let answer
  try {
    answer = { found: done(JSON.parse(asked)) }
  } catch (error) {
    answer = { error: String(error && error.message) }
  }
  process.stdout.write(JSON.stringify(answer))
})
`
