/** Entry of the thread that works on large JSON: one message in, one message out. */
import { parentPort } from 'node:worker_threads'
import { createEventTypes } from '../../../store/model/eventTypes/types.js'
import { stableText } from '../../../store/model/integrity.js'
import { utf8Text } from '../../../store/model/jsonText.js'
import { splitJson, transferred } from './split.js'
import type { Task, TaskResults } from './task.js'

function resultOf(task: Exclude<Task, { kind: 'split' }>): TaskResults[typeof task.kind] {
  switch (task.kind) {
    case 'stable':
      return task.texts.map((text) => stableText(JSON.parse(text)))
    case 'check':
      return createEventTypes({ ...EMPTY, types: { [task.type]: task.schema } }).check(task.type, JSON.parse(typeof task.text === 'string' ? task.text : utf8Text(task.text)))
  }
}

const EMPTY = { version: '', extras: {}, classes: {}, sets: {} }

parentPort?.on('message', (task: Task) => {
  if (task.kind !== 'split') return parentPort?.postMessage(resultOf(task))
  const result = splitJson(task.bytes, task.plan)
  parentPort?.postMessage(result, transferred(result))
})
