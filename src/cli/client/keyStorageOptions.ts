/** Options for the storage of the node key. */
import { Secret } from '../../store/model/secret.js'
import type { KeyStorage, KeyStorageOptions } from '../../store/keyring/nodeKey.js'

export type { KeyStorage, KeyStorageOptions }
import { readSecret } from '../terminal/input/secret.js'
import { choice, inputFile } from '../framework/option.js'
import type { Terminal } from '../terminal/terminal.js'

/** Copied here, so that parsing the command line does not load the store. */
export const KEY_STORAGE_NAMES: readonly [KeyStorage, ...KeyStorage[]] = ['keychain', 'passphrase', 'file']

interface KeyStorageInput {
  keepKey?: KeyStorage | undefined
  newPassphraseFile?: string | undefined
}

/** Creates the options. The help text states the default if it is given. */
export const keyStorageOptions = (defaultStorage?: KeyStorage) => ({
  keepKey: choice(
    KEY_STORAGE_NAMES,
    'Where to store the node key: in the system keychain, encrypted with a passphrase entered at every start, or in a file of mode 0600' +
      (defaultStorage === undefined ? '' : `; default: ${defaultStorage}`),
  ),
  newPassphraseFile: inputFile('Read the new passphrase of the node key from a file'),
})

const SOURCE = { prompt: 'New passphrase of the node key', missing: '--new-passphrase-file', twice: true }

/** Reads the options; prompts for a required passphrase that is missing. */
export async function keyStorageBy({ terminal }: { terminal: Terminal }, { keepKey: by = 'file', newPassphraseFile: file }: KeyStorageInput): Promise<KeyStorageOptions> {
  if (by !== 'passphrase') return { by }
  return { by, passphrase: new Secret(await readSecret(terminal, { ...SOURCE, file })) }
}
