/** What a folder of `coffer users export` holds, for coffer-account(5). */
import { indexForm, manifestTerms, sealing } from './archiveFormat.js'
import type { Block } from './blocks.js'

const files: ReadonlyArray<readonly [string, string]> = [
  ['manifest.json', 'What the folder is: see below. Readable without a passphrase, and naming nobody.'],
  ['index', `${indexForm} kind is lines for the files below and file for what is attached to events.`],
  [
    'account.ndjson',
    'One line: {"format":1,"account":{…}}, with username, id, created, passwordHash (Argon2, PHC string format), passwordChanged, ' +
      'formerPasswords (hash, changed), formerUsernames, unique (values that only this account has, by field, such as email), hidden ' +
      '(other account fields), emails (value, primary, status, verifiedAt, verificationMethod, token), usernameChanges, quota ' +
      '(dbDocuments, attachedFiles), mfa (id, method, content, recoveryCodes as SHA-256, totp with its secret in clear).',
  ],
  [
    'streams.ndjson',
    'A stream a line, as streams.get answers it, without children: id, name, parentId, clientData, trashed, childrenHidden, created, ' +
      'createdBy, modified, modifiedBy. Parents come first, and may come in any order.',
  ],
  ['profiles.ndjson', 'A profile set a line: id (public, private, or app: and the name of the app, escaped), keys, modified.'],
  [
    'accesses.ndjson',
    'An access a line: access (id without a serial, type, name, deviceName, permissions, expires, clientData, alias, serial, manager, ' +
      'created, createdBy, modified, modifiedBy, integrity), token, session (of personal ones: until when), usage (lastUsed, calls), ' +
      'versions (earlier ones, oldest first). Or a deleted one: deletion (the access with deleted) and token.',
  ],
  [
    'webhooks.ndjson',
    'A webhook a line: webhook (id, accessId, url, state, maxRetries, minIntervalMs, scopes, created, createdBy, modified, modifiedBy) ' +
      'and runs (runCount, failCount, lastRun, runs, currentRetries, isStopped).',
  ],
  ['slices.ndjson', 'A followed slice a line: id, name, url, accessToken.'],
  [
    'deletions.ndjson',
    'A deletion a line: {"stream":{"id","deleted"}}, or {"event":{"id","deleted","integrity",…}} with what was to be kept of the event.',
  ],
  [
    'events.ndjson',
    'An event a line, in the order of time, as events.get answers it, those in the trash and account fields too: id, streamIds, streamId, type, time, ' +
      'duration, content, tags, description, attachments, clientData, trashed, created, createdBy, modified, modifiedBy, integrity. ' +
      'Each attachment (id, fileName, type, size, integrity) has sha256 besides, which names its bytes.',
  ],
  [
    'history.ndjson',
    'An earlier version a line: event (its id), version (the event as it was, without integrity; of a deleted event what was to be kept ' +
      'of it) and stamped (true when only notes of the node came after it, so that events.getOne leaves it out). All versions of an event ' +
      'come together, oldest first; the event as it is now is not among them. They are there whatever the settings of the node were.',
  ],
  [
    'series.ndjson',
    'Points: event (the id of their holder), fields (deltaTime first), points (a list of rows, as many values as fields). A series may ' +
      'take many lines.',
  ],
  [
    'members/<two digits>/<digest>',
    'The bytes of an attached file, under its SHA-256 (hexadecimal) and the first two digits of it. Files of equal bytes are one.',
  ],
]

export const accountFormat: readonly Block[] = [
  { heading: 'Description' },
  {
    text:
      'coffer users export writes an account into a folder, and coffer users import reads one. The files hold the objects of the ' +
      'interface, a line of JSON each, in UTF-8 with a line feed behind every line, so that any program can read them. Times are ' +
      'seconds since 1970. Members that say nothing are left out.',
  },
  {
    text:
      'The folder is as secret as the account: it holds tokens and the hash of the password. Folders have the mode 0700, files 0600.',
  },
  { heading: 'Files' },
  { terms: files },
  { heading: 'manifest.json' },
  {
    terms: manifestTerms(
      'account',
      'How many there are: streams, events (without account fields), eventVersions, eventDeletions, streamDeletions, attachments, files, ' +
        'series, points, accesses, accessDeletions, profileSets, webhooks, followedSlices.',
    ),
  },
  ...sealing,
  { heading: 'Reading and versions' },
  {
    text:
      'A reader takes the index from the manifest and the members from the index, and holds each to its digest. An import refuses a folder ' +
      'of a later version as a whole. Files that are not there count as empty, except account.ndjson; members that are not described here are ' +
      'refused with their line. Versions change when a reader of the former one would read something wrong.',
  },
  {
    text:
      'What stays with its node is not in the folder: delegations and their accesses, one-time secrets, links to third parties, pairings with other nodes, records of ' +
      'calls, the CRDT changes of items. An import gives items changes of their own.',
  },
]
