/** What a backup holds, for coffer-backup(5). */
import { indexForm, manifestTerms, sealing } from './archiveFormat.js'
import type { Block } from './blocks.js'

const files: ReadonlyArray<readonly [string, string]> = [
  ['manifest.json', 'What the folder is: see below. Readable without a passphrase, and naming nobody.'],
  ['index', `${indexForm} kind is what it is, see below; of entries, first is the key of the first one and counts how many there are of each kind; about.account of a file is whose it is.`],
  [
    'members/<two digits>/<digest>',
    'A member, under its digest and the first two digits of it. What an archive before it has already is the same file, by a hard link, where ' +
      'the file system has these.',
  ],
]

const kinds: ReadonlyArray<readonly [string, string]> = [
  [
    'entries',
    'Entries of the database in the order of their keys: for each the length of the key and of the value (four bytes each, little-endian), ' +
      'the key, the value. A member ends where the keys themselves say, so that a change alters one of them.',
  ],
  ['file', 'The bytes of an attached file; about.account is the account within the store that it belongs to.'],
  ['key', 'The key of the node, 32 bytes as they are, however the node keeps it.'],
  ['config', 'config.toml, when the node has one.'],
]

export const backupFormat: readonly Block[] = [
  { heading: 'Description' },
  {
    text:
      'coffer backup create writes the whole node, as it was at one moment, into a folder named by the time (UTC), such as ' +
      '2026-11-22T203000Z. Each such folder is whole by itself: it can be copied, moved and removed without the others. coffer restore makes ' +
      'a node of one, coffer backup verify proves that it does.',
  },
  {
    text:
      'A folder without passphrase is as secret as the node, whose key it holds. Folders have the mode 0700, files 0600. While it is being ' +
      'written its name begins with a dot and ends with .unfinished; what a crash leaves of it is removed by a later one.',
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
        'How many there are: users, streams, events (account fields too), eventVersions (of deleted events; those of others follow from their changes), attachments, series, accesses, profileSets, ' +
          'followedSlices, webhooks, auditRecords, entries of the database, files.',
      ),
      ['base', 'The name of the archive beside it that unchanged members were taken from; absent for the first.'],
      ['mark', 'The moment, as the store remembers it: the next backup asks for what was written since.'],
      ['readAll', 'When all entries were read for the last time, for this archive or one before it, in seconds since the epoch.'],
    ],
  },
  { heading: 'What is read' },
  {
    text:
      'The store remembers which keys were written since the latest backups (up to sixteen marks). A backup reads the members that those ' +
      'keys lie in, and takes the others over from the archive before it; the result is the same as if all had been read. Everything is read ' +
      'with --full, where it is not known what was written (after a crash, in another folder, from a restored store), and once a week, which ' +
      'verifies it as well. Attached files are taken by their names, which are their digests.',
  },
  ...sealing,
  { text: 'All archives of a folder have the same sealing: one passphrase opens them all.' },
  { heading: 'Reading and versions' },
  {
    text:
      'A reader takes the index from the manifest and the members from the index, and holds each to its digest. Archives of a later version ' +
      'are refused as a whole; an archive is restored by the version of coffer that made it or a later one, which brings the store to its own ' +
      'format when it opens it.',
  },
]
