/**
 * The keychain of the system that a person has logged in to. On Linux it is the secret service alone: what the package
 * falls back to forgets at a reboot.
 */
import { keychainProcess, type KeychainAnswer, type KeychainCall } from './keychainProcess.js'
import { KeychainUnusable } from './nodeKeyUnusable.js'

const SERVICE = 'coffer'
const PATIENCE_MS = 2000
/** A locked keychain asks for its password in a window: where there is a screen, and somebody who has just typed the command. */
const PERSON_PATIENCE_MS = 60_000

export interface Keychain {
  /** Undefined when there is nothing under the name. @throws KeychainUnusable */
  read(name: string): Promise<string | undefined>
  /** @throws KeychainUnusable */
  write(name: string, text: string): Promise<void>
  /** @throws KeychainUnusable */
  remove(name: string): Promise<void>
}

export const systemKeychain: Keychain = {
  read: async (name) => (await answered({ act: 'read', service: SERVICE, name })) ?? undefined,
  async write(name, text) {
    await answered({ act: 'write', service: SERVICE, name, text })
  },
  async remove(name) {
    await answered({ act: 'remove', service: SERVICE, name })
  },
}

/** What the keychain says, in time. It may wait for ever for somebody to unlock it. */
async function answered(call: KeychainCall): Promise<string | null> {
  const answer = await described(call)
  if (answer === undefined) throw new KeychainUnusable(SILENT, UNLOCK)
  if ('found' in answer) return answer.found
  const [declared = ''] = answer.error.split('\n')
  const known = causes.find(({ pattern }) => pattern.test(declared))
  throw new KeychainUnusable(known?.why ?? declared, known?.next ?? SESSION)
}

const SILENT = 'it does not answer, and may wait for somebody to unlock it'
const UNLOCK = 'Unlock it, as by logging in to the desktop, and do this again.'
const SESSION = 'Do this in the session of the person whose keychain it is.'

/** What services and the bus to them say on Linux, and what it means; on other systems their own words are told. */
const causes: readonly { pattern: RegExp; why: string; next: string }[] = [
  { pattern: /prompt was dismissed|is locked|isn't unlocked/i, why: 'it is locked, and was not unlocked', next: UNLOCK },
  { pattern: /did not receive a reply/i, why: SILENT, next: UNLOCK },
  { pattern: /autolaunch|failed to connect to socket|unable to determine the address/i, why: 'this is no session of a person who has logged in (no D-Bus session bus)', next: SESSION },
  {
    pattern: /was not provided by any|serviceunknown|name has no owner/i,
    why: 'nothing in this session keeps secrets',
    next: 'Start a program that does, such as gnome-keyring or KWallet, and do this again.',
  },
]

/** What the process says; undefined when it took too long. */
async function described(call: KeychainCall): Promise<KeychainAnswer | undefined> {
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
    }, isSeen ? PERSON_PATIENCE_MS : PATIENCE_MS)
    const declared = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (part: string) => (declared.out += part))
    child.stderr.setEncoding('utf8').on('data', (part: string) => (declared.err += part))
    child.on('error', (error) => give({ error: error.message }))
    child.on('close', () => {
      clearTimeout(timer)
      give(declared.out.endsWith('}') ? (JSON.parse(declared.out) as KeychainAnswer) : { error: declared.err.trim() || 'it ended' })
    })
    // A process that ended at once closes its input.
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify(call))
  })
}
