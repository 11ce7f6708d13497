/** Schemas of what API methods and operator methods return about sync. */
import * as z from 'zod'

export const PeerView = z.object({
  id: z.string().describe('Id of the pairing, equal on both nodes.'),
  name: z.string().describe('Name of the peer.'),
  user: z.string().describe('User name of the account.'),
  state: z.enum(['in-sync', 'syncing', 'behind', 'offline', 'refused']).describe('State of the exchange.'),
  behind: z.number().nullable().describe('Entries to receive; null when unknown.'),
  ahead: z.number().nullable().describe('Entries that the peer has not acknowledged; null when unknown.'),
  lastContact: z.number().nullable().describe('Last contact, in seconds since 1970; null for none.'),
  scope: z.enum(['mirror', 'share']).describe('mirror: the whole account; share: some streams.'),
  streams: z.array(z.string()).optional().describe('Shared streams.'),
  direction: z.enum(['send', 'receive', 'both']).optional().describe('Direction of a share.'),
  grantor: z.enum(['us', 'them']).optional().describe('Side that decides what is shared.'),
  inSyncAt: z.number().optional().describe('Last comparison with equal digests, in seconds since 1970.'),
  reason: z.string().optional().describe('Reason for being refused or offline.'),
  filesPending: z.number().describe('Bytes of files to receive.'),
  filesPendingCount: z.number().describe('Number of files to receive.'),
  filesMissing: z.number().describe('Number of files that both nodes lack.'),
  filesMissingBytes: z.number().describe('Bytes of files that both nodes lack.'),
  filesPendingThere: z.number().describe('Files that the peer has to receive.'),
  filesMissingThere: z.number().describe('Files that the peer lacks, as this node does.'),
  received: z.number().describe('Items received in the current contact.'),
  sent: z.number().describe('Items sent in the current contact.'),
  refused: z.number().describe('Number of items of the peer that this node refused.'),
  putAside: z.number().describe('Number of items that a limit excludes.'),
  copied: z.enum(['ours', 'theirs']).optional().describe('Side that has two processes with one identity.'),
  paused: z.boolean().describe('true when the exchange is paused.'),
  every: z.number().nullable().describe('Seconds between contacts; null for a permanent connection.'),
  node: z.string().describe('Public key of the peer, base64url.'),
  address: z.string().nullable().describe('Address of the peer; null for none.'),
  paired: z.number().describe('Time of the pairing, in seconds since 1970.'),
})

export const ContactView = z.object({
  peer: z.string().describe('Name of the peer.'),
  user: z.string().describe('User name of the account.'),
  began: z.number().describe('Start, in seconds since 1970.'),
  ended: z.number().describe('End, in seconds since 1970.'),
  sent: z.number().describe('Items sent.'),
  received: z.number().describe('Items received.'),
  bytesSent: z.number().describe('Bytes sent.'),
  bytesReceived: z.number().describe('Bytes received.'),
  result: z.string().describe('Result in a few words.'),
  met: z.boolean().describe('true when the nodes connected.'),
  inSyncAt: z.number().optional().describe('Last comparison with equal digests, in seconds since 1970.'),
  attempts: z.number().optional().describe('Number of attempts, when more than one.'),
})

export const userName = z.string().describe('User name of the account.')
const kind = z.string().describe('Kind of the item, such as event.')
const id = z.string().describe('Id of the item.')

const Conflict = z.object({
  user: userName,
  kind,
  id,
  at: z.number().describe('Time of detection, in seconds since 1970.'),
  fields: z.array(z.object({
    field: z.string().describe('Name of the field.'),
    shown: z.unknown().optional().describe('Value in effect on every node.'),
    others: z.array(z.unknown()).describe('Other values.'),
    edits: z.array(z.object({
      at: z.number().describe('Time, in seconds since 1970.'),
      by: z.string().optional().describe('Author, as in modifiedBy.'),
    })).optional().describe('Edits that set the values: of the one in effect, then of the others; absent when unknown.'),
  })).describe('Fields that were set concurrently.'),
})

const Refusal = z.object({
  user: userName,
  kind,
  id,
  peer: z.string().describe('Name of the peer.'),
  at: z.number().describe('Time, in seconds since 1970.'),
  reason: z.string().describe('Id of the reason.'),
  message: z.string().describe('Reason in words.'),
})

const parentId = z.string().nullable().describe('Id of the parent; null at the top.')

const Renamed = z.object({
  user: userName,
  id: z.string().describe('Id of the stream.'),
  shown: z.object({ name: z.string().describe('Name.'), parentId }).describe('Place in effect.'),
  says: z.object({ name: z.string().optional().describe('Name.'), parentId: parentId.optional() }).describe('Place in its edits.'),
})

export const ConflictsView = z.object({
  conflicts: z.array(Conflict).describe('Fields that were set concurrently.'),
  refused: z.array(Refusal).describe('Items of peers that this node refused.'),
  renamed: z.array(Renamed).describe('Streams that are displayed differently from their edits.'),
  putAside: z.array(Refusal).describe('Items that a limit excludes from the exchange.'),
})

const pairingId = z.string().describe('Id of the pairing.')

export const PairingStatus = z.object({
  id: pairingId,
  user: userName,
  state: z.enum(['offered', 'met', 'paired', 'failed']).describe('State of the pairing.'),
  expires: z.number().optional().describe('Expiry of the link, in seconds since 1970.'),
  confirmed: z.boolean().optional().describe('true once this side has confirmed the words.'),
  words: z.array(z.string()).optional().describe('Words to compare.'),
  peerName: z.string().optional().describe('Name of the other node.'),
  peerNode: z.string().optional().describe('Public key of the other node, base64url.'),
  peer: z.object({ id: pairingId, name: z.string().describe('Name of the peer.') }).optional().describe('The peer, once paired.'),
  reason: z.string().optional().describe('Reason of a failure.'),
})
