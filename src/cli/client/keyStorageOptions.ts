/** How a node key is to be kept, as options say it. */
import { Secret } from '../../store/model/secret.js'
import type { KeyStorage, KeyStorageOptions } from '../../store/keyring/nodeKey.js'

export type { KeyStorage as Keeper, KeyStorageOptions as Keeping }
import { readSecret } from '../terminal/input/secret.js'
import { choice, text } from '../framework/option.js'
import type { Terminal } from '../terminal/terminal.js'

/** As the command line must not load the store to know its words. */
export const KEY_STORAGE_NAMES: readonly [KeyStorage, ...KeyStorage[]] = ['keychain', 'passphrase', 'file']

export interface KeyStorageInput {
  keepKey?: KeyStorage | undefined
  newPassphraseFile?: string | undefined
}

/** The options; `without` is what is taken when nothing is said. */
export const keyStorageOptions = (without?: KeyStorage) => ({
  keepKey: choice(
    KEY_STORAGE_NAMES,
    'Where the node key is kept: in the keychain of the system, behind a passphrase that is asked for at every start, or in a file of mode 0600' +
      (without === undefined ? '' : `; ${without} without it`),
  ),
  newPassphraseFile: text('Read the passphrase that the key is put behind from a file', { placeholder: 'file', completes: 'file' }),
})

const SOURCE = { prompt: 'New passphrase of the node key', missing: '--new-passphrase-file', twice: true }

/** What the options say; asks for a passphrase that is wanted and not given. */
export async function keyStorageBy({ terminal }: { terminal: Terminal }, { keepKey: by = 'file', newPassphraseFile: file }: KeyStorageInput): Promise<KeyStorageOptions> {
  if (by !== 'passphrase') return { by }
  return { by, passphrase: new Secret(await readSecret(terminal, { ...SOURCE, file })) }
}
