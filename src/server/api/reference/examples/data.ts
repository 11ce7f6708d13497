/** Examples for streams, events, series and batches. */
import { event, EVENT_ID, eventWithFile, points, stream, summary, TIME } from './common.js'
import type { Examples } from './example.js'

const deletion = { id: EVENT_ID, deleted: TIME + 60, integrity: 'EVENT:0:sha256-8bQw9kK3m1Yv0Zc5T4x7rA2nJ6uP1eHsDfGqLwXyVio=' }

export const dataExamples: Examples = {
  'streams.create': { params: { id: 'weight', name: 'Weight' }, answer: { stream } },
  'streams.get': { params: { parentId: 'weight' }, answer: { streams: [{ ...stream, id: 'morning', name: 'Morning', parentId: 'weight' }] } },
  'streams.summary': {
    params: { parentId: 'weight' },
    answer: { streams: [{ id: 'morning', events: 12, trashed: 1, total: 12, last: { id: EVENT_ID, type: 'mass/kg', time: TIME, content: 72.4 } }] },
  },
  'streams.update': { params: { id: 'weight', update: { name: 'Body weight' } }, answer: { stream: { ...stream, name: 'Body weight', modified: TIME + 60 } } },
  'streams.delete': {
    params: { id: 'weight', mergeEventsWithParent: false },
    answer: { updatedEvents: [{ id: EVENT_ID, action: 'deleted' }], streamDeletion: { id: 'weight' } },
  },
  'events.create': { params: { streamIds: ['weight'], type: 'mass/kg', content: 72.4 }, answer: { event } },
  'events.get': { params: { streams: ['weight'], types: ['mass/*'], limit: 3 }, answer: { events: [event] } },
  'events.getOne': { params: { id: EVENT_ID, includeHistory: true }, answer: { event: { ...event, content: 72.6, modified: TIME + 60 }, history: [event] } },
  'events.summary': {
    params: { streams: ['weight'], types: ['mass/*'], fromTime: TIME - 86_400, toTime: TIME, points: 2 },
    answer: {
      summary: {
        fromTime: TIME - 86_400,
        toTime: TIME,
        count: 3,
        groups: [
          {
            streamId: 'weight',
            type: 'mass/kg',
            field: '',
            count: 3,
            min: 72,
            max: 73,
            mean: 72.5,
            last: { id: EVENT_ID, time: TIME, value: 72.5 },
            buckets: { index: [0, 1], count: [1, 2], min: [73, 72], max: [73, 72.5], mean: [73, 72.25] },
          },
        ],
        periods: [],
      },
    },
  },
  'events.update': { params: { id: EVENT_ID, update: { content: 72.6 } }, answer: { event: { ...event, content: 72.6, modified: TIME + 60 } } },
  'events.delete': { params: { id: EVENT_ID }, answer: { eventDeletion: deletion } },
  'events.addAttachment': { params: { id: EVENT_ID }, file: 'scale.jpg', answer: { event: eventWithFile } },
  'events.getAttachment': { params: { id: EVENT_ID, fileId: 'cmh2xa1b20000q3s1f6g7h8jk' }, curl: ['-o scale.jpg'], httpOnly: true },
  'events.preview': { params: { id: EVENT_ID, w: 256 }, curl: ['-o small.jpg'], httpOnly: true },
  'events.deleteAttachment': { params: { id: EVENT_ID, fileId: 'cmh2xa1b20000q3s1f6g7h8jk' }, answer: { event } },
  'series.add': { params: { id: EVENT_ID, data: points }, answer: { status: 'ok' } },
  'series.batch': { params: { data: { format: 'seriesBatch', data: [{ eventId: EVENT_ID, data: points }] } }, answer: { status: 'ok' } },
  'series.get': { params: { id: EVENT_ID, fromDeltaTime: 0, toDeltaTime: 60 }, answer: points },
  'series.summary': { params: { id: EVENT_ID, fromDeltaTime: 0, toDeltaTime: 60, points: 1 }, answer: { summary } },
  callBatch: { params: [{ method: 'events.get', params: { limit: 1 } }], answer: { results: [{ events: [event] }] }, httpOnly: true },
}
