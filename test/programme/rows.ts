/**
 * The test programme: each promise, the tests that hold it, and what the long run adds. The table of test/README.md is
 * made of this list, and the long run goes through it in its order.
 */
import type { BreakName } from './support/breaks.js'

export interface Row {
  id: string
  /** What is promised. */
  promise: string
  /** Tests that hold it, as `npm test` runs them. */
  ordinary: readonly string[]
  /** Tests that the long run goes through with LONG=1. */
  long: readonly string[]
  /** What the long run adds. */
  adds?: string
  /** How long the long run may take over it, in minutes. */
  minutes?: number
  env?: Readonly<Record<string, string>>
}

/** A fault that is made on purpose, and the tests that must see it. */
export interface Proof {
  broken: BreakName
  files: readonly string[]
  /** Only tests of such a name. */
  named?: string
}

export const rows: readonly Row[] = [
  {
    id: 'S1',
    promise: 'What was acknowledged survives kill -9, whole; what was not is there wholly or not at all',
    ordinary: ['test/crash/kill.test.ts', 'test/crash/uploads.test.ts', 'test/crash/series.test.ts', 'test/crash/audit.test.ts', 'test/crash/webhooks.test.ts', 'test/crash/userImport.test.ts'],
    long: ['test/crash/kill.test.ts', 'test/crash/uploads.test.ts', 'test/crash/series.test.ts', 'test/crash/userImport.test.ts', 'test/property/series.test.ts'],
    adds: '20 rounds in place of 5',
    minutes: 5,
  },
  {
    id: 'S2',
    promise: 'The same when the disk loses its power, at any moment',
    ordinary: ['test/programme/powerCut.test.ts'],
    long: ['test/programme/powerCut.test.ts'],
    adds: '60 rounds in place of 1; 10 rounds at each boundary of S3',
    minutes: 12,
  },
  {
    id: 'S3',
    promise: 'The same at each boundary: before a commit, before its answer, between a file and its commit, in a compaction, in a backup; and each thing is on disk before what relies on it',
    ordinary: ['test/programme/syncOrder.test.ts'],
    long: ['test/programme/syncOrder.test.ts'],
    adds: 'with S2',
    minutes: 1,
  },
  {
    id: 'S4',
    promise: 'A sync that fails turns the node read-only, says so, and nothing is acknowledged after it',
    ordinary: ['test/crash/readonly.test.ts', 'test/programme/fileFaults.test.ts'],
    long: ['test/programme/fileFaults.test.ts'],
    adds: 'each sync of the story in place of one',
    minutes: 10,
  },
  {
    id: 'S5',
    promise: 'Any call that changes a file may fail (EIO, ENOSPC, half written): nothing acknowledged is lost, the store is sound',
    ordinary: ['test/programme/fileFaults.test.ts'],
    long: ['test/programme/fileFaults.test.ts'],
    adds: 'each call of the story in place of some in the middle of it',
  },
  {
    id: 'S6',
    promise: 'On a full disk reads go on and writes fail as storage-full (75); with room they go on without a restart',
    ordinary: ['test/crash/readonly.test.ts'],
    long: ['test/programme/fullDisk.test.ts'],
    adds: 'a real disk, and one that is full all at once',
    minutes: 2,
  },
  {
    id: 'S7',
    promise: 'Torn and rotten files are detected when the store opens or is checked, and named; nothing opens as if nothing had happened',
    ordinary: ['test/crash/damage.test.ts', 'test/store/leveldb/damagedLog.test.ts', 'test/store/leveldb/damagedTables.test.ts', 'test/store/leveldb/highWater.test.ts', 'test/store/check.test.ts', 'test/server/attachments/check.test.ts', 'test/store/backup/wholeNode.test.ts'],
    long: [],
  },
  {
    id: 'S8',
    promise: 'A damaged store is mended from what can be read of it, a backup or a paired node, and what is nowhere is named; a repair that is killed can be run again',
    ordinary: ['test/crash/repair.test.ts', 'test/crash/repairFromPeer.test.ts', 'test/crash/storeKilled.test.ts', 'test/cli/storeRepair.test.ts'],
    long: ['test/crash/repair.test.ts', 'test/crash/storeKilled.test.ts'],
    adds: '12 places in each file in place of 1; 60 kills of a repair and of a change of the key',
    minutes: 10,
  },
  {
    id: 'S9',
    promise: 'A second process on a store is told who has it (11), and the first is unharmed',
    ordinary: ['test/crash/processes.test.ts', 'test/acceptance/exitCodes.test.ts', 'test/acceptance/stopping.test.ts'],
    long: [],
  },
  {
    id: 'S10',
    promise: 'Stores, backups and account folders of every released format open, and hold what they held',
    ordinary: ['test/formats/formats.test.ts'],
    long: [],
  },
  {
    id: 'S11',
    promise: 'A backup under load is the node at one position of the journal; one that is killed leaves nothing that passes for whole',
    ordinary: [
      'test/store/backup/checkpoint.test.ts',
      'test/store/backup/wholeNode.test.ts',
      'test/store/backup/increment.test.ts',
      'test/property/backupIncrement.test.ts',
      'test/programme/backups.test.ts',
    ],
    long: ['test/store/backup/checkpoint.test.ts', 'test/property/backupIncrement.test.ts', 'test/programme/backups.test.ts'],
    adds: '15 rounds of copies; 12 histories of increments, each held against reading everything; 20 backups under load, each restored and compared; the schedule of a node that runs',
    minutes: 12,
  },
  {
    id: 'S12',
    promise: 'A clock that jumps changes no order, puts nothing off for as long, and brings back nothing that is over',
    ordinary: ['test/server/auth/throttle.test.ts', 'test/server/consent/away.test.ts'],
    long: ['test/programme/clock.test.ts'],
    adds: 'a real clock that jumps: back, ahead, past 2038, over the change to winter time',
    minutes: 2,
  },
  {
    id: 'Y1',
    promise: 'Nodes come to the same, whatever happens to them and between them',
    ordinary: ['test/property/sync.test.ts', 'test/property/merge.test.ts', 'test/property/treeRepair.test.ts', 'test/property/accessMerge.test.ts', 'test/property/profileMerge.test.ts', 'test/property/seriesMerge.test.ts', 'test/property/eventVersions.test.ts', 'test/property/shareMirrors.test.ts'],
    long: ['test/property/sync.test.ts', 'test/property/shareMirrors.test.ts', 'test/property/merge.test.ts', 'test/property/treeRepair.test.ts', 'test/property/accessMerge.test.ts', 'test/property/profileMerge.test.ts', 'test/property/seriesMerge.test.ts', 'test/property/eventVersions.test.ts'],
    adds: '20 random stories of whole nodes in place of 2, and more of the pure rules',
    minutes: 10,
    env: { RUNS: '20' },
  },
  {
    id: 'Y2',
    promise: 'No write is refused because a peer is away; after cuts and kills all show the same',
    ordinary: ['test/crash/sync.test.ts'],
    long: ['test/crash/sync.test.ts', 'test/crash/syncMesh.test.ts', 'test/crash/syncNamespaces.test.ts', 'test/crash/syncInterrupted.test.ts', 'test/crash/syncPairing.test.ts'],
    adds: 'three nodes, network namespaces, first contacts that are killed',
    minutes: 10,
    env: { ROUNDS: '4' },
  },
  {
    id: 'Y3',
    promise: 'A bad line does nothing twice and ends nothing for good',
    ordinary: ['test/server/sync/badLine.test.ts', 'test/fuzz/channel.test.ts', 'test/sync/session/interrupted.test.ts'],
    long: ['test/fuzz/channel.test.ts'],
    adds: '20,000 hostile conversations in place of 120',
    minutes: 4,
  },
  {
    id: 'Y5',
    promise: 'A hostile peer is refused by name, in bounded memory, and gets nothing that is not shared with it',
    ordinary: ['test/server/sync/hostilePeer.test.ts', 'test/server/sync/hostileShare.test.ts', 'test/sync/hostileChanges.test.ts', 'test/sync/session/hostile.test.ts'],
    long: ['test/server/sync/hostilePeer.test.ts'],
    adds: '20 s of random frames in place of 1',
    minutes: 2,
  },
  {
    id: 'Y6',
    promise: 'A node put back to an older state loses nothing of what is newer elsewhere',
    ordinary: ['test/crash/syncRestored.test.ts'],
    long: ['test/crash/syncRestored.test.ts'],
    adds: 'every way of putting it back',
    minutes: 2,
  },
  {
    id: 'Y7',
    promise: 'What two large accounts differ in is found by little, and what is remembered of their states is what they are',
    ordinary: ['test/sync/digest/reconcile.test.ts', 'test/sync/digest/accountState.test.ts', 'test/sync/digest/sharedSet.test.ts'],
    long: ['test/sync/digest/reconcile.test.ts', 'test/sync/digest/accountState.test.ts', 'test/sync/digest/sharedSet.test.ts'],
    adds: '1,000,000 items in place of 100,000, and more random states',
    minutes: 8,
  },
  {
    id: 'Y8',
    promise: 'Whatever accesses are changed on several nodes, no token ends with more than each of its last changes of rights gave',
    ordinary: ['test/property/accessJoin.test.ts', 'test/property/permissionIntersection.test.ts', 'test/property/accessMerge.test.ts', 'test/server/sync/accesses.test.ts', 'test/server/sync/chosen.test.ts'],
    long: ['test/property/accessJoin.test.ts', 'test/property/permissionIntersection.test.ts'],
    adds: '10,000 random histories of an access in place of 500',
    minutes: 3,
  },
  {
    id: 'Y9',
    promise: 'An item beyond a limit is put aside and named on both nodes; it ends no session, and everything else arrives',
    ordinary: ['test/sync/session/limits.test.ts', 'test/server/idLength.test.ts'],
    long: ['test/sync/session/limits.test.ts'],
    adds: '10 minutes of fields of random sizes about the limits (LIMITS_MINUTES)',
    minutes: 14,
  },
  {
    id: 'H1',
    promise: 'Malformed HTTP gets a 4xx or a closed connection, and never another account',
    ordinary: ['test/fuzz/http.test.ts', 'test/server/http/address.test.ts', 'test/server/http/upgrade.test.ts'],
    long: [],
  },
  {
    id: 'H2',
    promise: 'Any parameters, in JSON, forms or batches, get an answer of the failure catalogue',
    ordinary: ['test/fuzz/calls.test.ts', 'test/fuzz/queries.test.ts', 'test/fuzz/kept.test.ts', 'test/fuzz/scopes.test.ts', 'test/fuzz/permissions.test.ts', 'test/server/http/parameters.test.ts'],
    long: ['test/fuzz/permissions.test.ts', 'test/fuzz/scopes.test.ts', 'test/property/scopes.test.ts'],
    adds: '60 random worlds of permissions in place of 3',
    minutes: 6,
  },
  {
    id: 'H3',
    promise: 'What would grow when it is unpacked is not unpacked, or is cut at its limit',
    ordinary: ['test/fuzz/sizes.test.ts', 'test/server/attachments/preview.test.ts', 'test/server/websocket/hostile.test.ts'],
    long: [],
  },
  {
    id: 'H4',
    promise: 'Bodies over the limit are refused with it, in little memory',
    ordinary: ['test/fuzz/sizes.test.ts', 'test/server/attachments/hostile.test.ts'],
    long: ['test/server/attachments/large.test.ts'],
    adds: 'a file of gigabytes',
    minutes: 3,
  },
  {
    id: 'H5',
    promise: 'Clients that send or read slowly are closed in time, cost bounded memory, and keep nobody else waiting; what they asked for is searched no longer than they stay',
    ordinary: ['test/server/http/pace.test.ts', 'test/server/http/readingPace.test.ts', 'test/server/answers/slowReaders.test.ts', 'test/server/events/leaving.test.ts'],
    long: ['test/programme/slowClients.test.ts'],
    adds: '500 slow clients of each kind while an ordinary one calls',
    minutes: 3,
  },
  {
    id: 'H6',
    promise: 'Thousands of websockets: bounded memory each, told in time, closed when their right is withdrawn, nothing left of them',
    ordinary: ['test/server/websocket/revocation.test.ts', 'test/server/websocket/messages.test.ts'],
    long: ['test/programme/sockets.test.ts'],
    adds: '10,000 sockets, or as many as the limit of descriptors lets',
    minutes: 3,
  },
  {
    id: 'H7',
    promise: 'Nonsense in websockets is refused, and a namespace of somebody else stays closed',
    ordinary: ['test/server/websocket/hostile.test.ts', 'test/server/websocket/connect.test.ts', 'test/server/websocket/large.test.ts'],
    long: [],
  },
  {
    id: 'H8',
    promise: 'What is good for one use is used once, whoever asks at the same moment, also across a kill',
    ordinary: ['test/crash/oneTime.test.ts', 'test/crash/delegations.test.ts', 'test/crash/mfa.test.ts', 'test/crash/passwordReset.test.ts', 'test/server/register/races.test.ts', 'test/server/sharedSecrets/retrieve.test.ts'],
    long: ['test/crash/passwordReset.test.ts'],
    minutes: 2,
  },
  {
    id: 'H9',
    promise: 'Guessing is slowed down, and how long an answer takes tells nothing',
    ordinary: ['test/server/auth/throttle.test.ts', 'test/server/auth/alias.test.ts', 'test/server/mfa/limits.test.ts'],
    long: ['test/programme/guessing.test.ts'],
    adds: 'Welch tests of the times of answers',
    minutes: 3,
  },
  {
    id: 'H10',
    promise: 'Calls to addresses that clients chose reach no private network, and end',
    ordinary: ['test/server/httpClient/targets.test.ts', 'test/server/webhooks/test.test.ts', 'test/server/oauth/redirects.test.ts'],
    long: [],
  },
  {
    id: 'H11',
    promise: 'With little memory and few descriptors the node refuses what it cannot do, and loses nothing',
    ordinary: [],
    long: ['test/programme/floor.test.ts'],
    adds: '96 descriptors; a heap of 96 MB',
    minutes: 3,
  },
  {
    id: 'H12',
    promise: 'A node that runs for long does not grow: memory, descriptors, delay of its event loop, log files of its store',
    ordinary: [],
    long: ['test/programme/soak.test.ts'],
    adds: 'minutes of mixed load (SOAK_MINUTES)',
    minutes: 18,
  },
  {
    id: 'H13',
    promise: 'Nobody agrees to a consent in the name of another account, of this node or of others',
    ordinary: ['test/server/consent/proof.test.ts', 'test/server/consent/foreign.test.ts', 'test/server/consent/links.test.ts'],
    long: [],
  },
  {
    id: 'H14',
    promise: 'The largest input of any shape, to any method, with or without a token, is answered and keeps nobody else waiting',
    ordinary: ['test/programme/largestInput.test.ts', 'test/fuzz/sizes.test.ts', 'test/store/model/validation.test.ts', 'test/server/events/large.test.ts'],
    long: ['test/programme/largestInput.test.ts'],
    adds: '10 minutes (MINUTES) of random draws, and what another client waits',
    minutes: 12,
  },
  {
    id: 'C1',
    promise: 'Commands do well on terminals and in pipes, without HOME, on 40 columns, with closed outputs, left by Ctrl-C',
    ordinary: ['test/acceptance/output.test.ts', 'test/acceptance/terminal.test.ts', 'test/acceptance/stopping.test.ts', 'test/acceptance/secrets.test.ts', 'test/acceptance/lifecycle.test.ts', 'test/acceptance/import.test.ts'],
    long: ['test/acceptance/import.test.ts'],
    adds: '100,000 measurements in place of 20,000',
    minutes: 3,
  },
  {
    id: 'C2',
    promise: 'Exit codes are the table of the manual; help, manual pages and completion list the same options',
    ordinary: ['test/acceptance/exitCodes.test.ts', 'test/cli/exit.test.ts', 'test/cli/commands.test.ts', 'test/cli/man.test.ts', 'test/cli/completion.test.ts'],
    long: [],
  },
  {
    id: 'C3',
    promise: 'As a service of systemd the node is active once it answers, is started again when it fails or hangs, and does all its work confined',
    ordinary: ['test/cli/service/unit.test.ts', 'test/cli/service/service.test.ts', 'test/cli/foreign.test.ts'],
    long: ['test/programme/service.test.ts'],
    adds: 'a systemd that runs, for the machine and for an account',
    minutes: 4,
  },
  {
    id: 'C4',
    promise: 'Keys in the keychain of the system open the node; a keychain that is locked, silent, gone or has lost one is told of',
    ordinary: ['test/acceptance/keychain.test.ts', 'test/store/keyring/nodeKey.test.ts'],
    long: [],
  },
]

/** What shows that the tests can fail. */
export const proofs: readonly Proof[] = [
  { broken: 'nosync', files: ['test/programme/powerCut.test.ts'], named: 'keeps what it acknowledged' },
  { broken: 'nosync', files: ['test/programme/syncOrder.test.ts'] },
  { broken: 'nofsyncdir', files: ['test/programme/syncOrder.test.ts'] },
  { broken: 'nochain', files: ['test/crash/damage.test.ts'] },
  { broken: 'nomay', files: ['test/server/sync/hostileShare.test.ts'] },
  { broken: 'retry', files: ['test/programme/fileFaults.test.ts'] },
  { broken: 'noreserve', files: ['test/crash/readonly.test.ts'] },
  { broken: 'nolinger', files: ['test/fuzz/http.test.ts'], named: 'loses its connection' },
  { broken: 'nokeeping', files: ['test/programme/backups.test.ts'] },
  { broken: 'nodrop', files: ['test/programme/backups.test.ts'] },
]

/** The table of test/README.md. */
export function tableOf(all: readonly Row[] = rows): string {
  const short = (files: readonly string[]): string => files.map((file) => `\`${file.replace(/^test\//, '').replace(/\.test\.ts$/, '')}\``).join(', ')
  const lines = all.map(({ id, promise, ordinary, long, adds }) => {
    const inLong = long.length === 0 ? '' : `${short(long)}${adds === undefined ? '' : `: ${adds}`}`
    return `| ${id} | ${promise} | ${short(ordinary) || '–'} | ${inLong || '–'} |`
  })
  return ['| row | promise | `npm test` | `npm run test:long` |', '|---|---|---|---|', ...lines].join('\n')
}
