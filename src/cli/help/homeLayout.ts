/** Contents of the folder of a node, for coffer-home(5). */
import type { Block } from './blocks.js'

const entries: ReadonlyArray<readonly [string, string]> = [
  ['config.toml', 'The settings, see coffer-config(5). Mode 0600: it may contain secrets. Use --config for a different path.'],
  [
    'node.key',
    'The key of the node: 64 hexadecimal digits, or JSON: {"keptBy":"passphrase","sealing":{…}} with the key encrypted with a passphrase, ' +
      '{"keptBy":"keychain","entry":…} with the name of an entry of the keychain. Mode 0600; a key file that others can read is rejected. ' +
      'coffer store rekey changes the storage of the key; move it back to a file before you delete the folder, or its entry stays in the keychain. Without the key, tokens and secrets in the store cannot be read.',
  ],
  ['store/db/', 'The database, in LevelDB format: tables (.ldb), logs (.log), CURRENT, MANIFEST-<n>, LOCK, LOG.'],
  [
    'store/HEAD',
    'The high-water mark: the latest position in the commit chain, used to detect a store that lost its end. Two slots of ' +
      '64 bytes, written alternately: "COFFERHW", format (4 bytes), 1 if there is a commit (4), its number (8), its hash (32), zeros (4), ' +
      'CRC-32C (4), all numbers little-endian. Never copied or restored without the database.',
  ],
  [
    'store/touched',
    'Written when a store is closed: prefixes of the keys written since the latest backups, so that the next one need not read everything. ' +
      'Removed when the store is opened. It can be deleted safely.',
  ],
  ['store/owner', 'The id of the process that has the store open.'],
  [
    'files/<account>/<two digits>/<digest>',
    'Attached files, named by the SHA-256 of their content (hexadecimal) and the first two digits of it. account is the internal id of ' +
      'the account. Unfinished uploads are stored here under other names until they are complete.',
  ],
  ['node.sock', 'The admin socket that commands use to talk to the running node, mode 0600. If the path of the home is too long, it is in a short folder below $XDG_RUNTIME_DIR or /tmp.'],
  ['node.log, node.log.1', 'The current and the previous log, one JSON object per line. For the default home they are in $XDG_STATE_HOME/coffer, or ~/.local/state/coffer.'],
  ['default-account', 'The account of commands without --user, set by coffer users use: JSON with its username and id.'],
  ['store.new', 'A store that is being created or restored. It becomes store/ when it is complete; leftovers of a crash are removed by the next attempt.'],
  [
    'platform/',
    'Certificates of a core on a platform of several cores, mode 0600: ca.pem of the authority of the platform, etcd.crt and etcd.key with which the core identifies itself to etcd, ' +
      'etcd-ca.pem of the members of etcd, core.crt and core.key. Written by coffer platform init and coffer cores join. The key of the authority and that of the platform are sealed in the store.',
  ],
  ['moving/', 'Data downloaded so far of an account that is being moved here from another server.'],
]

export const homeLayout: readonly Block[] = [
  { heading: 'Description' },
  {
    text:
      'A node stores everything in one folder: --home, or COFFER_HOME, or $XDG_DATA_HOME/coffer, or ~/.local/share/coffer. Only one ' +
      'process at a time can open it. Folders have mode 0700.',
  },
  { heading: 'Files' },
  { terms: entries },
  { heading: 'Copying' },
  {
    text:
      'coffer backup create backs up a running node. When the node is stopped, a copy of the whole folder is a copy of the node; a ' +
      'copy made while it is running is not. Do not run two nodes on copies of one folder: pair them with coffer sync pair instead.',
  },
  { heading: 'Versions' },
  {
    text:
      'The store has a format of its own, which coffer store stats shows. A newer coffer migrates an older store at ' +
      'its first start, or with coffer store migrate; coffer does not open a store with a newer format than it knows.',
  },
]
