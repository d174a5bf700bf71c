export { longForm } from '../../src/common/testing/long-form.js';
