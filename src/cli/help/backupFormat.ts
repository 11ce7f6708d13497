/** Contents of a backup, for coffer-backup(5). */
import { indexForm, manifestTerms, sealing } from './archiveFormat.js'
import type { Block } from './blocks.js'

const files: ReadonlyArray<readonly [string, string]> = [
  ['manifest.json', 'Description of the folder: see below. Readable without a passphrase, and free of names.'],
  ['index', `${indexForm} kind is described below; for entries, first is the key of the first one, and counts their numbers by kind; about.account of a file is its account.`],
  [
    'members/<two digits>/<digest>',
    'A member, named by its digest and the first two digits of it. Members shared with an earlier archive are hard links, if ' +
      'the file system supports them.',
  ],
]

const kinds: ReadonlyArray<readonly [string, string]> = [
  [
    'entries',
    'Database entries sorted by key: for each the length of the key and of the value (four bytes each, little-endian), ' +
      'the key, the value. Member boundaries depend on the keys, so that a change affects only one member.',
  ],
  ['file', 'The content of an attached file; about.account is the internal id of its account.'],
  ['key', 'The key of the node, 32 raw bytes, regardless of how the node stores it.'],
  ['config', 'config.toml, if the node has one.'],
]

export const backupFormat: readonly Block[] = [
  { heading: 'Description' },
  {
    text:
      'coffer backup create writes a consistent snapshot of the whole node to a folder named by the time (UTC), such as ' +
      '2026-11-22T203000Z. Each folder is complete: it can be copied, moved and removed independently. coffer restore creates ' +
      'a node from it, coffer backup verify checks that this works.',
  },
  {
    text:
      'Keep a folder without a passphrase as secret as the node, whose key it contains. Folders have mode 0700, files 0600. During ' +
      'a backup the name starts with a dot and ends with .unfinished; leftovers of a crash are removed by a later backup.',
  },
  { heading: 'Files' },
  { terms: files },
  { heading: 'Kinds of members' },
  { terms: kinds },
  { heading: 'manifest.json' },
  {
    terms: [
      ...manifestTerms(
        'node',
        'Numbers of: users, streams, events (account fields too), eventVersions (of deleted events; versions of other events are part of their changes), attachments, series, accesses, profileSets, ' +
          'followedSlices, webhooks, auditRecords, entries of the database, files.',
      ),
      ['base', 'The name of the archive that unchanged members were taken from; absent for the first.'],
      ['mark', 'Marker of this backup in the store: the next backup requests the changes since then.'],
      ['readAll', 'Time of the last full read, for this archive or an earlier one, in seconds since the epoch.'],
    ],
  },
  { heading: 'Incremental reading' },
  {
    text:
      'The store tracks which keys were written since the latest backups (up to sixteen markers). A backup reads only the members that contain these ' +
      'keys, and takes the others from the previous archive; the result is the same as that of a full read. Everything is read ' +
      'with --full, if the changes are unknown (after a crash, in a different folder, from a restored store), and once a week, which ' +
      'also verifies the data. Attached files are identified by their names, which are their digests.',
  },
  ...sealing,
  { text: 'All archives of a folder have the same sealing: one passphrase opens them all.' },
  { heading: 'Reading and versions' },
  {
    text:
      'A reader takes the index from the manifest and the members from the index, and checks the digest of each. Archives of a later version ' +
      'are rejected as a whole; an archive is restored by the version of coffer that created it or a later one, which migrates the store to its own ' +
      'format at the first start.',
  },
]
