/** Checks that only the owner can access the key and the folders of the home. */
import { chmod, stat } from 'node:fs/promises'
import { keyStorageOf, readNodeKey } from '../../../../store/keyring/nodeKey.js'
import { KeychainUnusable, NodeKeyLost } from '../../../../store/keyring/nodeKeyUnusable.js'
import type { Context } from '../../../command.js'
import { shellLine } from '../../../framework/shell.js'
import { fault, fine, off, warning, type Check, type Finding } from './finding.js'

/** Checks the owner and the mode of a path; undefined when it does not exist. */
async function checkPath(path: string, mode: number, what: string): Promise<Finding | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return undefined
  const octal = (found.mode & 0o777).toString(8)
  const uid = process.getuid?.()
  if (uid !== undefined && uid !== 0 && found.uid !== uid) {
    return fault(`${what} ${path} belongs to another user (${found.uid})`, shellLine(['sudo', 'chown', '-R', String(uid), path]))
  }
  if ((found.mode & 0o077) === 0) return fine(`${what} ${path} is accessible to its owner only`)
  const octalMode = mode.toString(8)
  return {
    state: 'fault',
    says: `${what} ${path} is accessible to other users (mode ${octal})`,
    next: shellLine(['chmod', octalMode, path]),
    fix: () => chmod(path, mode),
  }
}

/** Checks the keychain, where it holds the key. */
async function inKeychain(path: string, { commandFor }: Context): Promise<Finding[]> {
  try {
    if ((await keyStorageOf(path)) !== 'keychain') return []
    await readNodeKey(path)
    return [fine('the key is in the keychain of the system')]
  } catch (error) {
    if (error instanceof KeychainUnusable) return [warning(error.message, error.next)]
    if (error instanceof NodeKeyLost) return [fault(error.message, `the running node still has the key; save it in a backup: ${commandFor('backup', 'create')}`)]
    throw error
  }
}

export const key: Check = {
  name: 'key',
  run: async ({ paths, context, client }) => {
    const finding = await checkPath(paths.key, 0o600, 'the node key')
    // A running node has read its key but could not start again without it; for a stopped node, the store check reports
    // it.
    if (finding?.state === 'fine' && client !== undefined) return [finding, ...(await inKeychain(paths.key, context))]
    if (finding !== undefined) return [finding]
    const store = await stat(paths.store).catch(() => undefined)
    return [store === undefined ? off('no node exists yet') : fault(`the node key ${paths.key} is missing`, `restore it from a copy; paths: ${context.commandFor('config', 'path')}`)]
  },
}

export const permissions: Check = {
  name: 'permissions',
  async run({ paths }) {
    const all = await Promise.all([
      checkPath(paths.home, 0o700, 'the home'),
      checkPath(paths.store, 0o700, 'the store'),
      checkPath(paths.files, 0o700, 'the files'),
    ])
    // A closed home protects everything in it.
    const [home, ...inner] = all
    if (home?.state === 'fine') return [home]
    const open = inner.filter((one) => one?.state === 'fault')
    if (home !== undefined && home.fix !== undefined && open.length === 0) {
      const next = home.next ?? ''
      return [{ ...warning('other users can list the home, but not open its content', next), fix: home.fix }]
    }
    return all.filter((one) => one !== undefined)
  },
}
