// The sheet for a notice board: one button prints it.
const button = document.getElementById("print");
button.hidden = false;
button.onclick = () => print();
