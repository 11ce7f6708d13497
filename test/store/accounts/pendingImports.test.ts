/** Marks of accounts being imported. */
import { describeRepository } from '../repository.js'
import { beginImport, finishImport, isImporting } from '../../../src/store/accounts/users.js'

describeRepository('marks of imports', {
  read: ({ store, account }) => isImporting(store.db, account.prefix),
  absent: false,
  steps: [{ write: beginImport, expected: true }],
  remove: finishImport,
})
