/** The help topic on pairing and sync. */
import type { Block } from './blocks.js'

export const syncBlocks = async (): Promise<Block[]> => [
  { heading: 'Sync' },
  {
    text:
      'The same account on several nodes, each complete and of use without the others. They get in sync whenever they ' +
      'meet: in any order, over any of them, with nothing lost that was not deleted.',
  },
  { heading: 'Pair two nodes' },
  {
    terms: [
      ['coffer sync pair', 'On one node: prints a link, good for ten minutes and one node, and a QR code.'],
      ['coffer sync accept <link>', 'On the other; with --user and --create, the account is made there.'],
      ['three words', 'Both screens show the same ones; compare them, and confirm on both. If they differ, somebody is in between.'],
      ['an address', 'One of the two must be reached by the other: dnsLess.publicUrl, or --address. Only one need be.'],
    ],
  },
  { heading: 'What is kept alike' },
  {
    terms: [
      ['a mirror', 'Streams, events with files and series, profiles, and accesses of apps and shared ones with their tokens.'],
      ['a share', 'Chosen streams with all below them and their events: sync pair --share --streams a,b --direction send.'],
      ['never', 'Passwords, sessions, personal tokens, second factors, links to third parties, account fields and e-mail addresses, one-time secrets, delegations, webhooks, followed slices, the audit.'],
    ],
  },
  { heading: 'States of a peer' },
  {
    terms: [
      ['in sync', 'Digests of all that is shared were compared equal, the bytes of all attached files are on both nodes, and nothing has come since; of a peer with --every, in its last contact.'],
      ['syncing', 'Something is on its way; BEHIND is to come, AHEAD is to go.'],
      ['behind', 'All known changes were exchanged, and the digests are still different; what differs is looked for. Or attached files are missing that neither node has: the reason says so, and they come once a node that has them is connected.'],
      ['offline', 'There is no contact; the rest of the line is as of the last one.'],
      ['refused', 'It does not go on by itself; the reason stands beside it.'],
    ],
  },
  { heading: 'When edits meet' },
  {
    text:
      'Different things of one item merge. Of one thing that was changed twice, all nodes show the same value, and ' +
      '"coffer sync conflicts" lists the other. The permissions of an access become what both allow, and the earlier ' +
      'end counts. A deletion wins over changes. Streams that end up with one name get a ' +
      'number behind it; events whose streams are gone are found in the stream "recovered".',
  },
  { heading: 'What cannot be undone' },
  {
    text:
      'A copy once given cannot be called back. Whoever has a share may have kept what you withdraw. To have something ' +
      'deleted on all your nodes, delete it before you unpair.',
  },
]
