/** Whether the key and the folders of the home are their owner's alone. */
import { chmod, stat } from 'node:fs/promises'
import { keyStorageOf, readNodeKey } from '../../store/keyring/nodeKey.js'
import { KeychainUnusable, NodeKeyLost } from '../../store/keyring/nodeKeyUnusable.js'
import type { Context } from '../command.js'
import { shellLine } from '../framework/shell.js'
import { fault, fine, off, warning, type Check, type Finding } from './finding.js'

/** The mode of what is there, with what is wrong about it. */
async function looked(path: string, mode: number, what: string): Promise<Finding | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return undefined
  const octal = (found.mode & 0o777).toString(8)
  const uid = process.getuid?.()
  if (uid !== undefined && uid !== 0 && found.uid !== uid) {
    return fault(`${what} ${path} belongs to another user (${found.uid})`, shellLine(['sudo', 'chown', '-R', String(uid), path]))
  }
  if ((found.mode & 0o077) === 0) return fine(`${what} ${path} is its owner's alone`)
  const wanted = mode.toString(8)
  return {
    state: 'fault',
    says: `${what} ${path} can be opened by others (mode ${octal})`,
    next: shellLine(['chmod', wanted, path]),
    fix: () => chmod(path, mode),
  }
}

/** What the keychain says, where it is to hold the key. */
async function inKeychain(path: string, { commandFor }: Context): Promise<Finding[]> {
  try {
    if ((await keyStorageOf(path)) !== 'keychain') return []
    await readNodeKey(path)
    return [fine('the keychain of the system has it')]
  } catch (error) {
    if (error instanceof KeychainUnusable) return [warning(error.message, error.next)]
    if (error instanceof NodeKeyLost) return [fault(error.message, `the node has it still, while it runs; a backup keeps it: ${commandFor('backup', 'create')}`)]
    throw error
  }
}

export const key: Check = {
  name: 'key',
  run: async ({ paths, context, client }) => {
    const finding = await looked(paths.key, 0o600, 'the node key')
    // A node that runs has its key open, and would not start again without; of one that does not, the store tells.
    if (finding?.state === 'fine' && client !== undefined) return [finding, ...(await inKeychain(paths.key, context))]
    if (finding !== undefined) return [finding]
    const made = await stat(paths.store).catch(() => undefined)
    return [made === undefined ? off('there is no node yet') : fault(`the node key ${paths.key} is missing`, `put it back from a copy; places: ${context.commandFor('config', 'path')}`)]
  },
}

export const permissions: Check = {
  name: 'permissions',
  async run({ paths }) {
    const all = await Promise.all([
      looked(paths.home, 0o700, 'the home'),
      looked(paths.store, 0o700, 'the store'),
      looked(paths.files, 0o700, 'the files'),
    ])
    // Behind a closed home nobody reaches what is in it.
    const [home, ...inner] = all
    if (home?.state === 'fine') return [home]
    const open = inner.filter((one) => one?.state === 'fault')
    if (home !== undefined && home.fix !== undefined && open.length === 0) {
      const next = home.next ?? ''
      return [{ ...warning('the home can be listed by others, and what is in it is closed', next), fix: home.fix }]
    }
    return all.filter((one) => one !== undefined)
  },
}
