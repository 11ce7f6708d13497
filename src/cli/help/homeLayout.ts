/** What the folder of a node holds, for coffer-home(5). */
import type { Block } from './blocks.js'

const entries: ReadonlyArray<readonly [string, string]> = [
  ['config.toml', 'The settings, see coffer-config(5). Mode 0600: it may hold secrets. Another place is named by --config.'],
  [
    'node.key',
    'The key of the node: 64 hexadecimal digits, or JSON: {"keptBy":"passphrase","sealing":{…}} with the key sealed behind a passphrase, ' +
      '{"keptBy":"keychain","entry":…} with the name of an entry of the keychain. Mode 0600; one that others may read is refused. ' +
      'coffer store rekey changes where the key is kept: back to a file before the folder is deleted, or its entry stays in the keychain. Without the key no token and no secret of the store can be read.',
  ],
  ['store/db/', 'The database, in the form of LevelDB: tables (.ldb), logs (.log), CURRENT, MANIFEST-<n>, LOCK, LOG.'],
  [
    'store/HEAD',
    'The high-water mark: how far the chain of changes has come, by which a store that lost its end is told from a whole one. Two slots of ' +
      '64 bytes, written in turn: "COFFERHW", format (4 bytes), 1 when there is a change (4), its number (8), its hash (32), zeros (4), ' +
      'CRC-32C (4), all numbers little-endian. Never copied or restored without the database.',
  ],
  [
    'store/touched',
    'Of a store that is closed: beginnings of keys that were written since the latest backups, so that the next one need not read everything. ' +
      'Taken away when the store is opened. It can be removed.',
  ],
  ['store/owner', 'The id of the process that has the store open, while it has.'],
  [
    'files/<account>/<two digits>/<digest>',
    'Attached files, under the SHA-256 of what they hold (hexadecimal) and the first two digits of it. account is the short text by which ' +
      'the store knows an account. Uploads that are under way lie here under other names until they are whole.',
  ],
  ['node.sock', 'The socket by which commands talk to the running node, mode 0600. Of a home whose name is too long it is in a short folder below $XDG_RUNTIME_DIR or /tmp.'],
  ['node.log, node.log.1', 'What the node told, an object of JSON a line, and what it told before. Of the default home they are in $XDG_STATE_HOME/coffer, or ~/.local/state/coffer.'],
  ['store.new', 'A store that is being made or restored. It becomes store/ when it is whole; what a crash leaves of it is removed by the next attempt.'],
  ['moving/', 'What was fetched already of an account that is being moved here from another server.'],
]

export const homeLayout: readonly Block[] = [
  { heading: 'Description' },
  {
    text:
      'A node keeps everything in one folder: that of --home, or of COFFER_HOME, or $XDG_DATA_HOME/coffer, or ~/.local/share/coffer. One ' +
      'process at a time opens it. Folders have the mode 0700.',
  },
  { heading: 'Files' },
  { terms: entries },
  { heading: 'Copying' },
  {
    text:
      'coffer backup create copies a node while it runs. Once the node has stopped, a copy of the whole folder is a copy of the node; a ' +
      'copy that was made while it ran is not. Two nodes must not run on copies of one folder: pair them with coffer sync pair instead.',
  },
  { heading: 'Versions' },
  {
    text:
      'The store has a format of its own, which coffer store stats shows. A newer coffer migrates an older store at ' +
      'its first start, or with coffer store migrate; a coffer refuses a store of a later format than it knows.',
  },
]
