/** The thread that works on large JSON: one message in, one message out. */
import { parentPort } from 'node:worker_threads'
import { createEventTypes } from '../../store/model/eventTypes/types.js'
import { stableText } from '../../store/model/integrity.js'
import { splitJson } from './split.js'
import type { Task, TaskResults } from './task.js'

function resultOf(task: Task): TaskResults[Task['kind']] {
  switch (task.kind) {
    case 'split':
      return splitJson(task.bytes, task.plan)
    case 'stable':
      return task.texts.map((text) => stableText(JSON.parse(text)))
    case 'check':
      return createEventTypes({ ...EMPTY, types: { [task.type]: task.schema } }).check(task.type, JSON.parse(task.text))
  }
}

const EMPTY = { version: '', extras: {}, classes: {}, sets: {} }

parentPort?.on('message', (task: Task) => parentPort?.postMessage(resultOf(task)))
