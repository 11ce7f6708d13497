/** Passphrase of the node key: read from a file or prompted for. */
import { Secret } from '../../store/model/secret.js'
import type { Opening } from '../../store/keyring/nodeKey.js'
import { readSecret } from '../terminal/input/secret.js'
import type { Environment } from '../framework/paths.js'
import type { Terminal } from '../terminal/terminal.js'

const SOURCE = { prompt: 'Passphrase of the node key', missing: 'COFFER_PASSPHRASE_FILE' }

/**
 * Creates the reader of the passphrase. The file of an option wins over COFFER_PASSPHRASE_FILE. Undefined without a file
 * when no prompt is possible.
 */
export function keyPassphrase({ terminal, env }: { terminal: Terminal; env: Environment }, option?: string): Opening['passphrase'] {
  const named = option ?? env['COFFER_PASSPHRASE_FILE']
  const file = named === '' ? undefined : named
  if (file === undefined && !terminal.mayAsk) return undefined
  return async () => new Secret(await readSecret(terminal, { ...SOURCE, file }))
}
