/**
 * The test programme: guarantees, the tests that verify them, and the additions of the long run. The table of
 * test/README.md is generated from this list, and the long run follows its order.
 */
import type { BreakName } from './support/breaks.js'

export interface Row {
  id: string
  /** Name by which the long run can select it too. */
  name?: string
  /** The guarantee, as one sentence. */
  promise: string
  /** Test files that verify it in `npm test`. */
  ordinary: readonly string[]
  /** Test files that the long run executes with LONG=1. */
  long: readonly string[]
  /** Additions of the long run. */
  adds?: string
  /** Time limit in the long run, in minutes. */
  minutes?: number
  env?: Readonly<Record<string, string>>
}

/** An injected fault, and the tests that must detect it. */
export interface Proof {
  broken: BreakName
  files: readonly string[]
  /** Restricts the run to tests whose name contains this text. */
  named?: string
}

export const rows: readonly Row[] = [
  {
    id: 'S1',
    promise: 'Acknowledged writes survive kill -9 completely; others are applied completely or not at all',
    ordinary: ['test/crash/kill.test.ts', 'test/crash/uploads.test.ts', 'test/crash/series.test.ts', 'test/crash/audit.test.ts', 'test/crash/webhooks.test.ts', 'test/crash/userImport.test.ts'],
    long: ['test/crash/kill.test.ts', 'test/crash/uploads.test.ts', 'test/crash/series.test.ts', 'test/crash/userImport.test.ts', 'test/property/series.test.ts'],
    adds: '20 rounds instead of 5',
    minutes: 5,
  },
  {
    id: 'S2',
    promise: 'S1 also holds for a power cut of the disk at any moment',
    ordinary: ['test/programme/powerCut.test.ts'],
    long: ['test/programme/powerCut.test.ts'],
    adds: '60 rounds instead of 1; 10 rounds at each boundary of S3',
    minutes: 12,
  },
  {
    id: 'S3',
    promise: 'S1 also holds at each boundary: before a commit, before its answer, between a file and its commit, in a compaction, in a backup; data is on disk before anything that depends on it',
    ordinary: ['test/programme/syncOrder.test.ts'],
    long: ['test/programme/syncOrder.test.ts'],
    adds: 'with S2',
    minutes: 1,
  },
  {
    id: 'S4',
    promise: 'A failed fsync makes the node read-only and is reported; no write is acknowledged afterwards',
    ordinary: ['test/crash/readonly.test.ts', 'test/programme/fileFaults.test.ts'],
    long: ['test/programme/fileFaults.test.ts'],
    adds: 'each fsync of the scenario instead of one',
    minutes: 10,
  },
  {
    id: 'S5',
    promise: 'Any system call that changes a file may fail (EIO, ENOSPC, partial write): no acknowledged write is lost, and the store stays consistent',
    ordinary: ['test/programme/fileFaults.test.ts'],
    long: ['test/programme/fileFaults.test.ts'],
    adds: 'each call of the scenario instead of a sample from its middle',
  },
  {
    id: 'S6',
    promise: 'On a full disk reads work and writes fail with storage-full (75); writes resume without a restart once there is space',
    ordinary: ['test/crash/readonly.test.ts'],
    long: ['test/programme/fullDisk.test.ts'],
    adds: 'a real disk, and one that fills up suddenly',
    minutes: 2,
  },
  {
    id: 'S7',
    promise: 'Truncated and corrupted files are detected and named when the store is opened or checked, tables of a large store also while the node runs; a damaged store never opens silently',
    ordinary: ['test/crash/damage.test.ts', 'test/store/leveldb/damagedLog.test.ts', 'test/store/leveldb/damagedTables.test.ts', 'test/store/leveldb/highWater.test.ts', 'test/store/engine/inspection.test.ts', 'test/store/check/check.test.ts', 'test/server/api/attachments/check.test.ts', 'test/store/backup/wholeNode.test.ts'],
    long: [],
  },
  {
    id: 'S8',
    promise: 'A damaged store is repaired from its readable entries, a backup or a paired node, and lost entries are listed; a killed repair can be repeated',
    ordinary: ['test/crash/repair.test.ts', 'test/crash/repairFromPeer.test.ts', 'test/crash/storeKilled.test.ts', 'test/cli/commands/store/repair.test.ts'],
    long: ['test/crash/repair.test.ts', 'test/crash/storeKilled.test.ts'],
    adds: '12 positions in each file instead of 1; 60 kills of a repair and of a key change',
    minutes: 10,
  },
  {
    id: 'S9',
    promise: 'A second process on a store fails with the PID of the lock holder (11), without effect on the first',
    ordinary: ['test/crash/processes.test.ts', 'test/acceptance/exitCodes.test.ts', 'test/acceptance/stopping.test.ts'],
    long: [],
  },
  {
    id: 'S10',
    promise: 'Stores, backups and account folders of every released format open with unchanged contents',
    ordinary: ['test/formats/formats.test.ts'],
    long: [],
  },
  {
    id: 'S11',
    promise: 'A backup under load is a snapshot at one journal position; a killed backup is never taken for a complete one',
    ordinary: [
      'test/store/backup/checkpoint.test.ts',
      'test/store/backup/wholeNode.test.ts',
      'test/store/backup/increment.test.ts',
      'test/property/backupIncrement.test.ts',
      'test/programme/backups.test.ts',
    ],
    long: ['test/store/backup/checkpoint.test.ts', 'test/property/backupIncrement.test.ts', 'test/programme/backups.test.ts'],
    adds: '15 rounds of checkpoints; 12 histories of increments, each compared with a full backup; 20 backups under load, each restored and compared; the schedule of a running node',
    minutes: 12,
  },
  {
    id: 'S12',
    promise: 'A clock that jumps does not reorder changes, does not extend delays, and does not revive expired data',
    ordinary: ['test/server/api/auth/throttle.test.ts', 'test/server/api/consents/deliveryFailures.test.ts'],
    long: ['test/programme/clock.test.ts'],
    adds: 'a real clock that jumps: back, ahead, past 2038, over the change to winter time',
    minutes: 2,
  },
  {
    id: 'Y1',
    promise: 'Nodes converge after any sequence of changes, faults and partitions',
    ordinary: ['test/property/sync.test.ts', 'test/property/merge.test.ts', 'test/sync/merge/deletions.test.ts', 'test/property/treeRepair.test.ts', 'test/property/accessMerge.test.ts', 'test/property/profileMerge.test.ts', 'test/property/seriesMerge.test.ts', 'test/property/eventVersions.test.ts', 'test/property/shareMirrors.test.ts'],
    long: ['test/property/sync.test.ts', 'test/property/shareMirrors.test.ts', 'test/property/merge.test.ts', 'test/sync/merge/deletions.test.ts', 'test/property/treeRepair.test.ts', 'test/property/accessMerge.test.ts', 'test/property/profileMerge.test.ts', 'test/property/seriesMerge.test.ts', 'test/property/eventVersions.test.ts'],
    adds: '20 random scenarios of whole nodes instead of 2, and more runs of the pure rules',
    minutes: 10,
    env: { RUNS: '20' },
  },
  {
    id: 'Y2',
    promise: 'No write is refused because a peer is unreachable; all nodes converge after disconnections and kills',
    ordinary: ['test/crash/sync.test.ts'],
    long: ['test/crash/sync.test.ts', 'test/crash/syncMesh.test.ts', 'test/crash/syncNamespaces.test.ts', 'test/crash/syncInterrupted.test.ts', 'test/crash/syncPairing.test.ts'],
    adds: 'three nodes, network namespaces, killed first contacts',
    minutes: 10,
    env: { ROUNDS: '4' },
  },
  {
    id: 'Y3',
    promise: 'A bad connection causes no duplicate effects and no permanent failure',
    ordinary: ['test/server/sync/badConnection.test.ts', 'test/fuzz/channel.test.ts', 'test/sync/session/interrupted.test.ts'],
    long: ['test/fuzz/channel.test.ts'],
    adds: '20,000 hostile sessions instead of 120',
    minutes: 4,
  },
  {
    id: 'Y5',
    promise: 'A hostile peer is refused with a named reason, in bounded memory, and receives only data shared with it',
    ordinary: ['test/server/sync/hostilePeer.test.ts', 'test/server/sync/hostileShare.test.ts', 'test/sync/crdt/hostileChanges.test.ts', 'test/sync/session/hostile.test.ts'],
    long: ['test/server/sync/hostilePeer.test.ts'],
    adds: '20 s of random frames instead of 1',
    minutes: 2,
  },
  {
    id: 'Y6',
    promise: 'A node restored to an older state loses no newer data of other nodes',
    ordinary: ['test/crash/syncRestored.test.ts'],
    long: ['test/crash/syncRestored.test.ts'],
    adds: 'every way to restore it',
    minutes: 2,
  },
  {
    id: 'Y7',
    promise: 'Differences between two large accounts are found with little data, and stored digests match the contents',
    ordinary: ['test/sync/digest/reconcile.test.ts', 'test/sync/digest/accountState.test.ts', 'test/sync/digest/sharedSet.test.ts'],
    long: ['test/sync/digest/reconcile.test.ts', 'test/sync/digest/accountState.test.ts', 'test/sync/digest/sharedSet.test.ts'],
    adds: '1,000,000 items instead of 100,000, and more random states',
    minutes: 8,
  },
  {
    id: 'Y8',
    promise: 'After concurrent changes of accesses on several nodes, no token has more permissions than each of its last permission changes granted',
    ordinary: ['test/property/accessJoin.test.ts', 'test/property/permissionIntersection.test.ts', 'test/property/accessMerge.test.ts', 'test/server/sync/accesses.test.ts', 'test/server/sync/concurrentIds.test.ts'],
    long: ['test/property/accessJoin.test.ts', 'test/property/permissionIntersection.test.ts'],
    adds: '10,000 random histories of an access instead of 500',
    minutes: 3,
  },
  {
    id: 'Y9',
    promise: 'An item that exceeds a limit is skipped and reported on both nodes; the session continues, and all other items are synced',
    ordinary: ['test/sync/session/limits.test.ts', 'test/server/dispatch/idLength.test.ts'],
    long: ['test/sync/session/limits.test.ts'],
    adds: '10 minutes of fields with random sizes around the limits (LIMITS_MINUTES)',
    minutes: 14,
  },
  {
    id: 'Y10',
    name: 'claims',
    promise: 'Of concurrent claims of a name on several cores one wins, an acknowledged one is found, and no answer contradicts the others, whatever dies, freezes or loses answers; afterwards nothing is held, and the stores agree with etcd',
    ordinary: ['test/programme/claims.test.ts', 'test/programme/nameHistory.test.ts'],
    long: ['test/programme/claims.test.ts'],
    adds: '10 minutes (`--minutes`) of faults instead of 10 seconds; etcd restored to an older state',
    minutes: 16,
  },
  {
    id: 'Y11',
    name: 'partition',
    promise: 'A core that is cut off from etcd serves its accounts and answers 503 for names, which the other cores claim; after the partition all cores agree',
    ordinary: [],
    long: ['test/programme/partition.test.ts'],
    adds: 'three network namespaces, each with a core and a member of etcd',
    minutes: 8,
  },
  {
    id: 'Y12',
    promise: 'A core killed at any step of a claim settles it at its next start: the claim is complete or absent, in its store and in etcd',
    ordinary: ['test/crash/claims.test.ts'],
    long: ['test/crash/claims.test.ts'],
    adds: '3 rounds instead of 1 (CLAIM_ROUNDS)',
    minutes: 10,
  },
  {
    id: 'H1',
    promise: 'Malformed HTTP gets a 4xx or a closed connection, and never reaches another account',
    ordinary: ['test/fuzz/http.test.ts', 'test/server/http/address.test.ts', 'test/server/http/upgrade.test.ts'],
    long: [],
  },
  {
    id: 'H2',
    promise: 'Arbitrary parameters, in JSON, forms or batches, are answered with a result or a documented failure',
    ordinary: ['test/fuzz/calls.test.ts', 'test/fuzz/queries.test.ts', 'test/fuzz/roundTrip.test.ts', 'test/fuzz/scopes.test.ts', 'test/fuzz/permissions.test.ts', 'test/server/http/parameters.test.ts'],
    long: ['test/fuzz/permissions.test.ts', 'test/fuzz/scopes.test.ts', 'test/property/scopes.test.ts'],
    adds: '60 random sets of permissions instead of 3',
    minutes: 6,
  },
  {
    id: 'H3',
    promise: 'Compressed input is rejected, or limited in its decompressed size',
    ordinary: ['test/fuzz/sizes.test.ts', 'test/server/api/attachments/preview.test.ts', 'test/server/websocket/hostile.test.ts'],
    long: [],
  },
  {
    id: 'H4',
    promise: 'Bodies over the limit are refused with the limit in the message, in little memory',
    ordinary: ['test/fuzz/sizes.test.ts', 'test/server/api/attachments/hostile.test.ts'],
    long: ['test/server/api/attachments/large.test.ts'],
    adds: 'a file of gigabytes',
    minutes: 3,
  },
  {
    id: 'H5',
    promise: 'Clients that send or read slowly are disconnected in time, use bounded memory, and do not delay others; their searches end when they disconnect',
    ordinary: ['test/server/http/minBodyRate.test.ts', 'test/server/http/readingPace.test.ts', 'test/server/call/answers/slowReaders.test.ts', 'test/server/api/events/disconnects.test.ts'],
    long: ['test/programme/slowClients.test.ts'],
    adds: '500 slow clients of each kind beside a normal one',
    minutes: 3,
  },
  {
    id: 'H6',
    promise: 'Thousands of websockets: bounded memory each, timely notifications, closed when their access is revoked, no leaks afterwards',
    ordinary: ['test/server/websocket/revocation.test.ts', 'test/server/websocket/messages.test.ts'],
    long: ['test/programme/sockets.test.ts'],
    adds: '10,000 sockets, or as many as the descriptor limit allows',
    minutes: 3,
  },
  {
    id: 'H7',
    promise: 'Invalid websocket messages are refused, and namespaces of other accounts are inaccessible',
    ordinary: ['test/server/websocket/hostile.test.ts', 'test/server/websocket/connect.test.ts', 'test/server/websocket/large.test.ts'],
    long: [],
  },
  {
    id: 'H8',
    promise: 'One-time tokens and codes are used once, also under concurrent requests and across a kill',
    ordinary: ['test/crash/oneTime.test.ts', 'test/crash/delegations.test.ts', 'test/crash/mfa.test.ts', 'test/crash/passwordReset.test.ts', 'test/server/api/register/races.test.ts', 'test/server/api/sharedSecrets/retrieve.test.ts'],
    long: ['test/crash/passwordReset.test.ts'],
    minutes: 2,
  },
  {
    id: 'H9',
    promise: 'Guessing is throttled, and response times reveal nothing',
    ordinary: ['test/server/api/auth/throttle.test.ts', 'test/server/api/auth/alias.test.ts', 'test/server/api/mfa/limits.test.ts'],
    long: ['test/programme/guessing.test.ts'],
    adds: 'Welch tests of response times',
    minutes: 3,
  },
  {
    id: 'H10',
    promise: 'Requests to URLs chosen by clients reach no private network, and end in time',
    ordinary: ['test/server/httpClient/targets.test.ts', 'test/server/webhooks/test.test.ts', 'test/server/api/oauth/redirects.test.ts'],
    long: [],
  },
  {
    id: 'H11',
    promise: 'With little memory and few descriptors the node refuses requests that it cannot handle, and loses no data',
    ordinary: [],
    long: ['test/programme/scarceResources.test.ts'],
    adds: '96 descriptors; a heap of 96 MB',
    minutes: 3,
  },
  {
    id: 'H12',
    promise: 'Resources of a long-running node stay bounded: memory, descriptors, event loop delay, log files of its store',
    ordinary: [],
    long: ['test/programme/soak.test.ts'],
    adds: 'minutes of mixed load (SOAK_MINUTES)',
    minutes: 18,
  },
  {
    id: 'H13',
    promise: 'A consent cannot be accepted in the name of another account, of this node or of others',
    ordinary: ['test/server/api/consents/proof.test.ts', 'test/server/api/consents/foreign.test.ts', 'test/server/api/consents/links.test.ts'],
    long: [],
  },
  {
    id: 'H14',
    promise: 'The largest input of any shape, to any method, with or without a token, is answered and does not delay other clients',
    ordinary: ['test/programme/largestInput.test.ts', 'test/fuzz/sizes.test.ts', 'test/store/model/validation.test.ts', 'test/server/api/events/large.test.ts'],
    long: ['test/programme/largestInput.test.ts'],
    adds: '10 minutes (MINUTES) of random inputs, and the latency of another client',
    minutes: 12,
  },
  {
    id: 'P1',
    promise: 'Rules, codecs and readers agree with independent naive versions for random inputs; pages of the API reference are accessible',
    ordinary: ['test/browser/api.test.ts', 'test/server/base/csvReader.test.ts', 'test/property/conditions.test.ts', 'test/property/consent.test.ts', 'test/property/document.test.ts', 'test/property/encodeChange.test.ts', 'test/property/events.test.ts', 'test/property/integrity.test.ts', 'test/property/keys.test.ts', 'test/property/largeRecord.test.ts', 'test/property/permission.test.ts', 'test/property/permissionOracle.test.ts', 'test/property/readFirst.test.ts', 'test/property/rowText.test.ts', 'test/property/streamsQuery.test.ts', 'test/property/tree.test.ts', 'test/store/accounts/formerProfiles.test.ts', 'test/store/leveldb/snappy.test.ts', 'test/store/model/eventTypes.test.ts', 'test/store/series/codec.test.ts', 'test/sync/crdt/fields.test.ts', 'test/sync/crdt/hostileChanges.test.ts'],
    long: ['test/browser/api.test.ts', 'test/server/base/csvReader.test.ts', 'test/property/conditions.test.ts', 'test/property/consent.test.ts', 'test/property/document.test.ts', 'test/property/encodeChange.test.ts', 'test/property/events.test.ts', 'test/property/integrity.test.ts', 'test/property/keys.test.ts', 'test/property/largeRecord.test.ts', 'test/property/permission.test.ts', 'test/property/permissionOracle.test.ts', 'test/property/readFirst.test.ts', 'test/property/rowText.test.ts', 'test/property/streamsQuery.test.ts', 'test/property/tree.test.ts', 'test/store/accounts/formerProfiles.test.ts', 'test/store/leveldb/snappy.test.ts', 'test/store/model/eventTypes.test.ts', 'test/store/series/codec.test.ts', 'test/sync/crdt/fields.test.ts', 'test/sync/crdt/hostileChanges.test.ts'],
    adds: 'four times as many inputs; every page of the API reference',
    minutes: 15,
  },
  {
    id: 'C1',
    promise: 'Commands work on terminals and in pipes, without HOME, on 40 columns, with closed outputs, and when interrupted by Ctrl-C',
    ordinary: ['test/acceptance/output.test.ts', 'test/acceptance/terminal.test.ts', 'test/acceptance/stopping.test.ts', 'test/acceptance/secrets.test.ts', 'test/acceptance/lifecycle.test.ts', 'test/acceptance/import.test.ts'],
    long: ['test/acceptance/import.test.ts'],
    adds: '100,000 measurements instead of 10,000',
    minutes: 3,
  },
  {
    id: 'C2',
    promise: 'Exit codes match the table of the manual; help, manual pages and completion list the same options',
    ordinary: ['test/acceptance/exitCodes.test.ts', 'test/cli/framework/exit.test.ts', 'test/cli/framework/everyCommand.test.ts', 'test/cli/help/man.test.ts', 'test/cli/help/completion.test.ts'],
    long: [],
  },
  {
    id: 'C3',
    promise: 'As a systemd service the node is active once it answers, is restarted when it fails or hangs, and works within its sandbox',
    ordinary: ['test/cli/commands/service/unit.test.ts', 'test/cli/commands/service/service.test.ts', 'test/cli/commands/node/foreignAccount.test.ts'],
    long: ['test/programme/service.test.ts'],
    adds: 'a running systemd, as system and user service',
    minutes: 4,
  },
  {
    id: 'C4',
    promise: 'A key in the system keychain opens the node; a locked, unresponsive or missing keychain, or a missing key, is reported',
    ordinary: ['test/acceptance/keychain.test.ts', 'test/store/keyring/nodeKey.test.ts'],
    long: [],
  },
  {
    id: 'C5',
    name: 'phone',
    promise: 'Each flow of the console works in a window of 390 pixels as in one of 1,280, without accessibility problems or layout shifts',
    ordinary: ['test/browser/console/firstDay.test.ts', 'test/browser/console/states.test.ts'],
    long: ['test/browser/console'],
    adds: 'all flows at 390 pixels',
    minutes: 10,
    env: { BROWSER_WIDTH: '390' },
  },
]

/** Checks whether a word selects a row. */
export const isNamed = ({ id, name }: Row, word: string): boolean => word === id || word === name

/** Injected faults, which prove that the tests can fail. */
export const proofs: readonly Proof[] = [
  { broken: 'nosync', files: ['test/programme/powerCut.test.ts'], named: 'loses no acknowledged write' },
  { broken: 'nosync', files: ['test/programme/syncOrder.test.ts'] },
  { broken: 'nofsyncdir', files: ['test/programme/syncOrder.test.ts'] },
  { broken: 'nochain', files: ['test/crash/damage.test.ts'] },
  { broken: 'nomay', files: ['test/server/sync/hostileShare.test.ts'] },
  { broken: 'retry', files: ['test/programme/fileFaults.test.ts'] },
  { broken: 'noreserve', files: ['test/crash/readonly.test.ts'] },
  { broken: 'nolinger', files: ['test/fuzz/http.test.ts'], named: 'loses its connection' },
  { broken: 'nokeeping', files: ['test/programme/backups.test.ts'] },
  { broken: 'nodrop', files: ['test/programme/backups.test.ts'] },
  { broken: 'noopid', files: ['test/programme/claims.test.ts'] },
]

/** The table of test/README.md. */
export function tableOf(all: readonly Row[] = rows): string {
  const short = (files: readonly string[]): string => files.map((file) => `\`${file.replace(/^test\//, '').replace(/\.test\.ts$/, '')}\``).join(', ')
  const lines = all.map(({ id, name, promise, ordinary, long, adds }) => {
    const inLong = long.length === 0 ? '' : `${short(long)}${adds === undefined ? '' : `: ${adds}`}`
    return `| ${id}${name === undefined ? '' : ` \`${name}\``} | ${promise} | ${short(ordinary) || '–'} | ${inLong || '–'} |`
  })
  return ['| row | promise | `npm test` | `npm run test:long` |', '|---|---|---|---|', ...lines].join('\n')
}
