/**
 * The system keychain of the logged-in user. On Linux only the Secret Service: the package's fallback does not survive
 * a reboot.
 *
 * A call to a keychain that waits to be unlocked cannot be cancelled, blocks a thread and keeps the process from exiting.
 * So each call runs in a child process that can be killed, which also closes the keychain's window.
 */
import { KeychainUnusable } from './nodeKeyUnusable.js'

const SERVICE = 'coffer'
const TIMEOUT_MS = 2000
/** Timeout in a terminal with a screen, where a locked keychain opens a window for its password. */
const UNLOCK_TIMEOUT_MS = 60_000

export interface Keychain {
  /**
   * Returns undefined when there is no such entry.
   * @throws KeychainUnusable
   */
  read(name: string): Promise<string | undefined>
  /** @throws KeychainUnusable */
  write(name: string, text: string): Promise<void>
  /** @throws KeychainUnusable */
  remove(name: string): Promise<void>
}

export const systemKeychain: Keychain = {
  read: async (name) => (await callKeychain({ act: 'read', service: SERVICE, name })) ?? undefined,
  async write(name, text) {
    await callKeychain({ act: 'write', service: SERVICE, name, text })
  },
  async remove(name) {
    await callKeychain({ act: 'remove', service: SERVICE, name })
  },
}

/**
 * Returns the answer of the keychain, with a timeout: it may wait for someone to unlock it.
 * @throws KeychainUnusable
 */
async function callKeychain(call: KeychainCall): Promise<string | null> {
  const answer = await runProcess(call)
  if (answer === undefined) throw new KeychainUnusable(SILENT, UNLOCK)
  if ('found' in answer) return answer.found
  const [message = ''] = answer.error.split('\n')
  const known = causes.find(({ pattern }) => pattern.test(message))
  throw new KeychainUnusable(known?.why ?? message, known?.next ?? SESSION)
}

const SILENT = 'it does not respond; it may be waiting to be unlocked'
const UNLOCK = 'Unlock it, for instance by logging in to the desktop, and try again.'
const SESSION = 'Run this in the desktop session of the keychain owner.'

/** Known errors of the Secret Service and of D-Bus on Linux; on other systems, their own message is shown. */
const causes: readonly { pattern: RegExp; why: string; next: string }[] = [
  { pattern: /prompt was dismissed|is locked|isn't unlocked/i, why: 'it is locked, and was not unlocked', next: UNLOCK },
  { pattern: /did not receive a reply/i, why: SILENT, next: UNLOCK },
  { pattern: /autolaunch|failed to connect to socket|unable to determine the address/i, why: 'this is not a login session (no D-Bus session bus)', next: SESSION },
  {
    pattern: /was not provided by any|serviceunknown|name has no owner/i,
    why: 'no Secret Service runs in this session',
    next: 'Start one, such as gnome-keyring or KWallet, and try again.',
  },
]

/** Returns the answer of the keychain process; undefined after a timeout. */
async function runProcess(call: KeychainCall): Promise<KeychainAnswer | undefined> {
  const [{ spawn }, { createRequire }] = await Promise.all([import('node:child_process'), import('node:module')])
  const program = createRequire(import.meta.url).resolve('@napi-rs/keyring')
  const child = spawn(process.execPath, ['--eval', keychainProcess, program], { stdio: ['pipe', 'pipe', 'pipe'] })
  const { DISPLAY, WAYLAND_DISPLAY } = process.env
  const hasScreen = process.platform !== 'linux' || Boolean(DISPLAY) || Boolean(WAYLAND_DISPLAY)
  const isSeen = hasScreen && process.stdin.isTTY && process.stderr.isTTY
  return new Promise((give) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      give(undefined)
    }, isSeen ? UNLOCK_TIMEOUT_MS : TIMEOUT_MS)
    const output = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (part: string) => (output.out += part))
    child.stderr.setEncoding('utf8').on('data', (part: string) => (output.err += part))
    child.on('error', (error) => give({ error: error.message }))
    child.on('close', () => {
      clearTimeout(timer)
      give(output.out.endsWith('}') ? (JSON.parse(output.out) as KeychainAnswer) : { error: output.err.trim() || 'it ended' })
    })
    // A process that exited at once closes its input.
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify(call))
  })
}

/** Request, one line of JSON on stdin; no secret is in the arguments. */
interface KeychainCall {
  act: 'read' | 'write' | 'remove'
  service: string
  name: string
  text?: string
}

/** Response, one line of JSON on stdout. `found` is null when there is no such entry. */
type KeychainAnswer = { found: string | null } | { error: string }

/** Source for `node --eval`; its argument is the file of the package. */
const keychainProcess = `'use strict'
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
