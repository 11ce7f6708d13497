/**
 * The keychain of the system that a person has logged in to. On Linux it is the secret service alone: what the package
 * falls back to forgets at a reboot.
 */
import { NodeKeyUnusable } from './nodeKeyUnusable.js'

const SERVICE = 'coffer'
const PATIENCE_MS = 2000

type Entry = InstanceType<typeof import('@napi-rs/keyring').AsyncEntry>

export interface Keychain {
  /** Undefined when there is nothing under the name. @throws NodeKeyUnusable */
  read(name: string): Promise<string | undefined>
  /** @throws NodeKeyUnusable */
  write(name: string, text: string): Promise<void>
  /** @throws NodeKeyUnusable */
  remove(name: string): Promise<void>
}

export const systemKeychain: Keychain = {
  read: async (name) => (await answered(name, (entry, signal) => entry.getPassword(signal))) ?? undefined,
  async write(name, text) {
    await answered(name, (entry, signal) => entry.setPassword(text, signal))
  },
  async remove(name) {
    await answered(name, (entry, signal) => entry.deletePassword(signal))
  },
}

/** What the keychain says, in time. It may wait for ever for somebody to unlock it. */
async function answered<T>(name: string, ask: (entry: Entry, signal: AbortSignal) => Promise<T>): Promise<T> {
  const giveUp = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not answer')), PATIENCE_MS)
  })
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring')
    const asked = ask(new AsyncEntry(SERVICE, name, { linux: { store: 'secret-service' } }), giveUp.signal)
    asked.catch(() => {})
    return await Promise.race([asked, late])
  } catch (error) {
    const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new NodeKeyUnusable(`No keychain of the system can be used here: ${why}`)
  } finally {
    clearTimeout(timer)
    giveUp.abort()
  }
}
