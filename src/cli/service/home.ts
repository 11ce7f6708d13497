/** Whether a service can open the home that it is installed for. */
import { statSync } from 'node:fs'
import { keyStorageOf } from '../../store/keyring/nodeKey.js'
import type { Context } from '../command.js'
import { CommandError } from '../framework/exit.js'
import { machineAccount } from '../client/machineAccount.js'
import { shellLine } from '../framework/shell.js'
import type { Scope, Unit } from './unit.js'

/** Refuses a home of which a part belongs to another account than the one that the node runs as. @throws CommandError 4 */
export function assertPartsReadable({ paths, env }: Context, { runAs }: Unit): void {
  // Root opens what belongs to anybody.
  if (runAs === undefined || runAs === 'root') return
  const uid = machineAccount(runAs, env)?.uid
  const other = [paths.home, paths.config, paths.key, paths.store].find((path) => {
    const found = statSync(path, { throwIfNoEntry: false })
    return found !== undefined && found.uid !== uid
  })
  if (other === undefined) return
  const wholly = [...new Set([paths.home, ...(paths.config.startsWith(`${paths.home}/`) ? [] : [paths.config])])]
  throw new CommandError(`${other} does not belong to ${runAs}, which the node is to run as.`, {
    exit: 4,
    hint: `Give it everything: ${shellLine(['chown', '-R', `${runAs}:`, ...wholly])}`,
  })
}

/** Refuses a key that nobody could open for the service. @throws CommandError 2 */
export async function assertKeyReadable({ paths, commandFor }: Context, scope: Scope, passphraseFile: string | undefined): Promise<void> {
  const keeper = await keyStorageOf(paths.key)
  if (keeper === 'keychain' && scope === 'system') {
    throw new CommandError('The node key is in the keychain of a person, which a service of the machine cannot open.', {
      exit: 2,
      hint: `Keep it in a file: ${commandFor('store', 'rekey', '--keep-key', 'file')}`,
    })
  }
  if (keeper === 'passphrase' && passphraseFile === undefined) {
    throw new CommandError('The node key is behind a passphrase, and a service has nobody to ask for it.', {
      exit: 2,
      hint: 'Name a file that holds it, which the account of the node can read: --passphrase-file <file>',
    })
  }
}
