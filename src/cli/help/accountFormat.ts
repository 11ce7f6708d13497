/** Contents of a folder of `coffer users export`, for coffer-account(5). */
import { eventFields } from '../../store/model/events/fields.js'
import { streamFieldNames } from '../../store/model/streams/fields.js'
import { indexForm, manifestTerms, sealing } from './archiveFormat.js'
import type { Block } from './blocks.js'

const files: ReadonlyArray<readonly [string, string]> = [
  ['manifest.json', 'Description of the folder: see below. Readable without a passphrase, and free of names.'],
  ['index', `${indexForm} kind is lines for the files below, and file for attached files.`],
  [
    'account.ndjson',
    'One line: {"format":1,"account":{…}}, with username, id, created, passwordHash (Argon2, PHC string format), passwordChanged, ' +
      'formerPasswords (hash, changed), formerUsernames, unique (values that only this account has, by field, such as email), hidden ' +
      '(other account fields), emails (value, primary, status, verifiedAt, verificationMethod, token), usernameChanges, quota ' +
      '(dbDocuments, attachedFiles), mfa (id, method, content, recoveryCodes as SHA-256, totp with its secret in clear).',
  ],
  [
    'streams.ndjson',
    `One stream per line, as in the result of streams.get, without children: ${streamFieldNames.join(', ')}. ` +
      'Parents are written first, but any order is accepted.',
  ],
  ['profiles.ndjson', 'One profile set per line: id (public, private, or app: and the name of the app, escaped), keys, modified.'],
  [
    'accesses.ndjson',
    'One access per line: access (id without a serial, type, name, deviceName, permissions, expires, clientData, alias, serial, manager, ' +
      'created, createdBy, modified, modifiedBy, integrity), token, session (expiry of a personal access), usage (lastUsed, calls), ' +
      'versions (earlier ones, oldest first). Or a deleted one: deletion (the access with deleted) and token.',
  ],
  [
    'webhooks.ndjson',
    'One webhook per line: webhook (id, accessId, url, state, maxRetries, minIntervalMs, scopes, created, createdBy, modified, modifiedBy) ' +
      'and runs (runCount, failCount, lastRun, runs, currentRetries, isStopped).',
  ],
  ['slices.ndjson', 'One followed slice per line: id, name, url, accessToken.'],
  [
    'deletions.ndjson',
    'One deletion per line: {"stream":{"id","deleted"}}, or {"event":{"id","deleted","integrity",…}} with the retained parts of the event.',
  ],
  [
    'events.ndjson',
    'One event per line, in chronological order, as in the result of events.get, including trashed events and account fields: ' +
      `${Object.keys(eventFields).join(', ')}. ` +
      'Each attachment (id, fileName, type, size, integrity) also has sha256, which identifies its content.',
  ],
  [
    'history.ndjson',
    'One earlier version per line: event (its id), version (the event as it was, without integrity; of a deleted event the retained parts' +
      ') and stamped (true if only entries of the node itself followed, so that events.getOne omits it). All versions of an event ' +
      'are adjacent, oldest first; the current event is not included. They are exported regardless of the settings of the node.',
  ],
  [
    'series.ndjson',
    'Points: event (the id of the series event), fields (deltaTime first), points (a list of rows with one value per field). A series may ' +
      'span many lines.',
  ],
  [
    'members/<two digits>/<digest>',
    'Content of an attached file, named by its SHA-256 (hexadecimal) and the first two digits of it. Identical files are stored once.',
  ],
]

export const accountFormat: readonly Block[] = [
  { heading: 'Description' },
  {
    text:
      'coffer users export writes an account to a folder, and coffer users import reads it. The files contain the objects of the ' +
      'API, one JSON object per line, in UTF-8 with a line feed after every line, so that any program can read them. Times are ' +
      'seconds since 1970. Empty members are omitted.',
  },
  {
    text:
      'Keep the folder as secret as the account: it contains tokens and the hash of the password. Folders have mode 0700, files 0600.',
  },
  { heading: 'Files' },
  { terms: files },
  { heading: 'manifest.json' },
  {
    terms: manifestTerms(
      'account',
      'Numbers of: streams, events (without account fields), eventVersions, eventDeletions, streamDeletions, attachments, files, ' +
        'series, points, accesses, accessDeletions, profileSets, webhooks, followedSlices.',
    ),
  },
  ...sealing,
  { heading: 'Reading and versions' },
  {
    text:
      'A reader takes the index from the manifest and the members from the index, and checks the digest of each. An import rejects a folder ' +
      'of a later version as a whole. Missing files count as empty, except account.ndjson; members not described here are ' +
      'rejected with their line. The version changes when a reader of the previous version would misread the data.',
  },
  {
    text:
      'Data that belongs to the node is not in the folder: delegations and their accesses, one-time secrets, links to identity providers, pairings with other nodes, audit ' +
      'records, the CRDT changes of items. An import creates new changes for the items.',
  },
]
