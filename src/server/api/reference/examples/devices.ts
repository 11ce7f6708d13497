/** Examples for devices and pairings. */
import { ACCESS_ID, EVENT_ID, TIME } from './common.js'
import type { Examples } from './example.js'

const DEVICE_ID = 'q3Vt9kX1ZbWn5cYp7LmR2w'
const PAIRING_ID = 'cmh34d8f60000h2s1b7n5m3kq'
const KEY = '5kQ1m8s3TjYyC2cG0oVb7uXnRZ4pLhWd6eFaKi9rNwE'
const LINK = 'coffer:pair/AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMQ@https://node.example.org/'

const device = {
  id: DEVICE_ID,
  name: 'phone',
  user: 'ana-lovelace',
  state: 'in-sync',
  behind: 0,
  ahead: 0,
  lastContact: TIME,
  scope: 'mirror',
  inSyncAt: TIME,
  ...{ filesPending: 0, filesPendingCount: 0, filesMissing: 0, filesMissingBytes: 0, filesPendingThere: 0, filesMissingThere: 0 },
  ...{ received: 3, sent: 12, refused: 0, putAside: 0 },
  paused: false,
  every: null,
  node: KEY,
  address: null,
  paired: TIME,
}

const offered = { id: PAIRING_ID, user: 'ana-lovelace', state: 'offered', expires: TIME + 600 }
const met = { id: PAIRING_ID, user: 'ana-lovelace', state: 'met', words: ['amber', 'canoe', 'violet'], peerName: 'phone', peerNode: KEY }

export const deviceExamples: Examples = {
  'devices.get': { params: {}, answer: { devices: [device], thisDevice: { name: 'desk', active: true, node: KEY, fingerprint: 'a1b2 c3d4' } } },
  'devices.history': {
    params: { id: DEVICE_ID, limit: 1 },
    answer: {
      contacts: [
        { peer: 'phone', user: 'ana-lovelace', began: TIME, ended: TIME + 60, sent: 12, received: 3, bytesSent: 4096, bytesReceived: 1024, result: 'in sync', met: true, inSyncAt: TIME },
      ],
    },
  },
  'devices.conflicts': {
    params: {},
    answer: {
      conflicts: [
        {
          user: 'ana-lovelace',
          kind: 'event',
          id: EVENT_ID,
          at: TIME,
          fields: [{ field: 'content', shown: 72.4, others: [72.6], edits: [{ at: TIME, by: ACCESS_ID }, { at: TIME - 60, by: ACCESS_ID }] }],
        },
      ],
      refused: [],
      renamed: [],
      putAside: [],
    },
  },
  'devices.update': { params: { id: DEVICE_ID, update: { paused: true } }, answer: { device: { ...device, state: 'offline', paused: true } } },
  'devices.delete': { params: { id: DEVICE_ID }, answer: { deviceDeletion: { id: DEVICE_ID, notified: true } } },
  'devices.pairings': { params: {}, answer: { pairings: [{ ...offered, link: LINK }] } },
  'devices.startPairing': { params: {}, answer: { pairing: offered, link: LINK, isLocal: false } },
  'devices.acceptPairing': { params: { link: LINK }, answer: { pairing: met } },
  'devices.confirmPairing': { params: { id: PAIRING_ID }, answer: { pairing: { ...met, confirmed: true } } },
  'devices.cancelPairing': { params: { id: PAIRING_ID }, answer: { pairingDeletion: { id: PAIRING_ID } } },
}
