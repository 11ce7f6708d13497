/** Checks that a service can open the home it is installed for. */
import { statSync } from 'node:fs'
import { keyStorageOf } from '../../../../store/keyring/nodeKey.js'
import type { Context } from '../../../command.js'
import { CommandError } from '../../../framework/exit.js'
import { machineAccount } from '../../../client/machineAccount.js'
import { shellLine } from '../../../framework/shell.js'
import type { Scope, Unit } from './unit.js'

/**
 * Checks that all parts of a home belong to the account of the node.
 * @throws CommandError 4
 */
export function assertPartsReadable({ paths, env }: Context, { runAs }: Unit): void {
  // Root can open all files.
  if (runAs === undefined || runAs === 'root') return
  const uid = machineAccount(runAs, env)?.uid
  const foreign = [paths.home, paths.config, paths.key, paths.store].find((path) => {
    const found = statSync(path, { throwIfNoEntry: false })
    return found !== undefined && found.uid !== uid
  })
  if (foreign === undefined) return
  const toChange = [...new Set([paths.home, ...(paths.config.startsWith(`${paths.home}/`) ? [] : [paths.config])])]
  throw new CommandError(`${foreign} does not belong to ${runAs}, the account that the node will run as.`, {
    exit: 4,
    hint: `Change the owner: ${shellLine(['chown', '-R', `${runAs}:`, ...toChange])}`,
  })
}

/**
 * Checks that a service can open the node key.
 * @throws CommandError 2
 */
export async function assertKeyReadable({ paths, commandFor }: Context, scope: Scope, passphraseFile: string | undefined): Promise<void> {
  const storage = await keyStorageOf(paths.key)
  if (storage === 'keychain' && scope === 'system') {
    throw new CommandError('The node key is in a personal keychain, which a system service cannot open.', {
      exit: 2,
      hint: `Move it to a file: ${commandFor('store', 'rekey', '--keep-key', 'file')}`,
    })
  }
  if (storage === 'passphrase' && passphraseFile === undefined) {
    throw new CommandError('The node key is protected by a passphrase, and a service cannot prompt for it.', {
      exit: 2,
      hint: 'Pass a file with the passphrase that the account of the node can read: --passphrase-file <file>',
    })
  }
}
