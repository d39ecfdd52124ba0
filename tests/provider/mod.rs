//! Tests of this capability.

mod model_server;
