import { runScanChild } from '../app/threads/scan-child.ts'

runScanChild()
