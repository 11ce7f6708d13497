/** Converts errors of opening a store to errors of commands. */
import { KeychainUnusable, NodeKeyLost, NodeKeyUnusable, PassphraseNeeded } from '../../store/keyring/nodeKeyUnusable.js'
import { WrongPassphrase } from '../../store/keyring/passphraseEncryption.js'
import { AlreadyInitialised, StoreMissing } from '../../server/launch/init.js'
import { PlatformKeyMissing, PlatformTooNew } from '../../server/platform/joining/unusablePlatform.js'
import { damageText } from '../../store/leveldb/damage.js'
import { productVersion } from '../../server/base/version.js'
import { FORMAT, FormatUnknown, NoStore, StoreDamaged } from '../../store/engine/open.js'
import { StoreForeign, StoreLocked } from '../../store/engine/lock.js'
import { CommandError } from '../framework/exit.js'
import { machineAccount } from './machineAccount.js'
import { noStore } from './homeChecks.js'
import { shellLine } from '../framework/shell.js'

const commandLine = (command: string, home: string): string => shellLine(['coffer', ...command.split(' '), '--home', home])

/** Returns the CommandError for errors of initialise and openNode; other errors unchanged. */
export function storeProblem(error: unknown, home: string): unknown {
  if (error instanceof StoreLocked) {
    return new CommandError(error.message, {
      exit: 11,
      cause: error,
      hint: `If it is the node, it is already running: ${commandLine('status', home)}\nStop it: ${commandLine('stop', home)}\nOtherwise wait until it is done.`,
    })
  }
  if (error instanceof StoreForeign) {
    const account = machineAccount(error.uid, process.env)?.name ?? `#${error.uid}`
    return new CommandError(error.message, { exit: 4, cause: error, hint: `Run the command as that account: sudo -u ${account} coffer …\nOr make root the owner of the home: chown -R 0 ${home}` })
  }
  if (error instanceof NoStore) return noStore(home, { init: commandLine('init', home), repair: commandLine('store repair', home) }, error)
  if (error instanceof StoreDamaged) {
    const places = error.damage.map((each) => `\n${damageText(each)}`)
    return new CommandError(`The store in ${error.folder} is damaged:${places.join('')}`, {
      exit: 13,
      cause: error,
      data: { damage: error.damage },
      hint: [
        `Nothing was changed. Repair it from a backup: ${commandLine('store repair', home)} --from <folder of the backups>`,
        `Or from a paired node: ${commandLine('store repair', home)} --from-peer <name>`,
        'Preview either with --dry-run.',
      ].join('\n'),
    })
  }
  if (error instanceof AlreadyInitialised) {
    const hint = `Start it: ${commandLine('start', home)}\nOr create one in another folder: coffer init --home <dir>`
    return new CommandError(error.message, { exit: 6, cause: error, hint })
  }
  if (error instanceof StoreMissing) {
    const interrupted = noStore(home, { init: '', repair: commandLine('store repair', home) }, error)
    if (interrupted.exit === 13) return interrupted
    return new CommandError(error.message, {
      exit: 10,
      cause: error,
      hint: 'Restore a backup into another home: coffer restore <backup> --home <folder>\nTo start over instead, move node.key away first.',
    })
  }
  if (error instanceof WrongPassphrase) return new CommandError(error.message, { exit: 12, cause: error })
  if (error instanceof PassphraseNeeded) {
    return new CommandError(error.message, { exit: 2, cause: error, hint: 'Set COFFER_PASSPHRASE_FILE to a file that contains it; coffer start also accepts --passphrase-file.' })
  }
  if (error instanceof NodeKeyLost) {
    return new CommandError(error.message, {
      exit: 1,
      cause: error,
      hint: `A backup contains it; restore it to a file of the home: ${commandLine('store repair', home)} --from <folder of the backups>`,
    })
  }
  if (error instanceof KeychainUnusable) return new CommandError(error.message, { exit: 1, cause: error, hint: error.next })
  if (error instanceof NodeKeyUnusable) return new CommandError(error.message, { exit: 1, cause: error })
  if (error instanceof PlatformTooNew) {
    return new CommandError(error.message, { exit: 6, cause: error, hint: 'Update coffer on this machine to the version of the other cores: coffer update --check' })
  }
  if (error instanceof PlatformKeyMissing) {
    return new CommandError(error.message, {
      exit: 1,
      cause: error,
      hint: [
        'A backup of this core contains the key: coffer restore <backup> --home <another folder>',
        `To run this node alone again, or to join again: ${commandLine('config unset platform.etcd', home)}`,
        `Then, to join: ${commandLine('cores join', home)} <bundle>`,
      ].join('\n'),
    })
  }
  if (error instanceof FormatUnknown) return newerStore(error)
  return error
}

function newerStore(error: FormatUnknown): CommandError {
  const { folder, format, writer } = error
  const own = productVersion()
  const by = writer === undefined ? 'a newer coffer' : `coffer ${writer}`
  return new CommandError(`The store in ${folder} was written by ${by} and has format ${format}; this is coffer ${own}, which knows formats up to ${FORMAT}.`, {
    exit: 6,
    cause: error,
    data: { format, newestFormat: FORMAT, ...(writer === undefined ? {} : { writer }), version: own },
    hint: [
      `Nothing was changed. Use coffer ${writer === undefined ? 'of a newer version' : `${writer} or newer`}; to see how this copy is updated: coffer update`,
      `Or stay with coffer ${own}, and restore a backup that it made: coffer restore <backup> --home <another folder>`,
    ].join('\n'),
  })
}
