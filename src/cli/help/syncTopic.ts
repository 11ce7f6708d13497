/** Help topic on pairing and sync. */
import type { Block } from './blocks.js'

export const syncBlocks = async (): Promise<Block[]> => [
  { heading: 'Sync' },
  {
    text:
      'The same account on several nodes, each complete and usable on its own. Nodes sync whenever they ' +
      'connect: in any order and through any of them, without losing data that was not deleted.',
  },
  { heading: 'Pair two nodes' },
  {
    terms: [
      ['coffer sync pair', 'Run on one node: prints a link, valid for one node and ten minutes.'],
      ['coffer sync accept <link>', 'Run on the other node; with --user and --create, the account is created there.'],
      ['--nearby', 'Option of both for nodes of one network: a short code, such as 7KQM-2XWD, takes the place of the link.'],
      ['three words', 'Both screens show the same words; compare them, and confirm on both. If they differ, someone intercepts the connection.'],
      ['an address', 'One of the two nodes must be reachable from the other: set dnsLess.publicUrl, or use --address.'],
    ],
  },
  { heading: 'Replicated data' },
  {
    terms: [
      ['a mirror', 'Streams, events with files and series, profiles, app accesses and shared accesses with their tokens.'],
      ['a share', 'Selected streams with those below them and their events: sync pair --share --streams a,b --direction send.'],
      ['never', 'Passwords, sessions, personal tokens, second factors, links to identity providers, account fields and e-mail addresses, one-time secrets, delegations, webhooks, followed slices, audit records.'],
    ],
  },
  { heading: 'States of a peer' },
  {
    terms: [
      ['in sync', 'The digests of all shared items are equal, both nodes have the contents of all attached files, and nothing has changed since; for a peer with --every, as of the last connection.'],
      ['syncing', 'Changes are being exchanged; BEHIND counts those to receive, AHEAD those to send.'],
      ['behind', 'All known changes were exchanged, but the digests still differ; the difference is being searched. Or attached files are missing that neither node has; the reason says so, and they are fetched once a node that has them connects.'],
      ['offline', 'Not connected; the other values are those of the last connection.'],
      ['refused', 'Sync is blocked until the reason shown is resolved.'],
    ],
  },
  { heading: 'Conflicts' },
  {
    text:
      'Changes to different fields of an item are merged. If a field was changed twice, all nodes show the same value, and ' +
      '"coffer sync conflicts" lists the other one. The permissions of an access are intersected, and the earlier ' +
      'expiry applies. A deletion wins over changes. Streams that end up with the same name get a ' +
      'numeric suffix; events whose streams were deleted are in the stream "recovered".',
  },
  { heading: 'Irreversible effects' },
  {
    text:
      'A copy once given cannot be recalled: the receiver of a share may have kept data that you withdraw. To have data ' +
      'deleted on all your nodes, delete it before you unpair.',
  },
]
