"""Learning equal voice: learners that ask and tell, the worlds they learn in, and what theory says about them."""
